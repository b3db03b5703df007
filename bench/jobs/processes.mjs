import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('contender-process.mjs', import.meta.url));

const running = new Set();

/** Starts a process of the contender that is connected and has nothing to do yet. It answers one question at a time. */
export async function startProcess(contender, connection) {
  const child = fork(SCRIPT, [contender.id]);
  let question;
  running.add(child);

  child.on('message', ({ answer, error }) => {
    if (error) question.reject(new Error(`${contender.title}: ${error}`));
    else question.resolve(answer);
  });
  child.on('exit', (code) => {
    running.delete(child);
    question?.reject(new Error(`A process of ${contender.title} ended with exit code ${code}.`));
  });

  function ask(command, args = {}) {
    return new Promise((resolve, reject) => {
      question = { resolve, reject };
      child.send({ command, args });
    });
  }

  await ask('open', { connection });
  return {
    ask,
    async stop() {
      await ask('close');
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** After a failure: ends those that nobody will stop any more. */
export async function endProcesses() {
  await Promise.all(
    [...running].map(async (child) => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    }),
  );
}
