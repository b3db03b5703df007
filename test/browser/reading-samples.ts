/** An article with formulas, a table, code and footnotes. */
export const TIDES = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>How high the water stands</title>
<meta name="author" content="Ottilie Brandt"><meta property="og:site_name" content="The Pier Gazette"></head><body><article><h1>How high the water stands</h1>
<p>The sea does not rise because the moon lifts it. It rises because the moon pulls harder on the near side of the earth than on the far side, and water, unlike rock, can follow the difference.<sup><a id="r1" href="#n1">1</a></sup> What is left after the earth's own fall has been taken away is small, a ten-millionth of gravity, and yet it moves an ocean.</p>
<p>For a body of mass <math><mi>M</mi></math> at a distance <math><mi>d</mi></math>, the difference across a planet of radius <math><mi>r</mi></math> is nearly</p>
<math display="block"><mi>Δ</mi><mi>a</mi><mo>=</mo><mfrac><mrow><mi>G</mi><mi>M</mi></mrow><msup><mrow><mo>(</mo><mi>d</mi><mo>−</mo><mi>r</mi><mo>)</mo></mrow><mn>2</mn></msup></mfrac><mo>−</mo><mfrac><mrow><mi>G</mi><mi>M</mi></mrow><msup><mi>d</mi><mn>2</mn></msup></mfrac><mo>≈</mo><mfrac><mrow><mn>2</mn><mi>G</mi><mi>M</mi><mi>r</mi></mrow><msup><mi>d</mi><mn>3</mn></msup></mfrac></math>
<p>The third power in the denominator is why the moon wins over the sun. A harbour then adds up many such waves, each with a period of its own:</p>
<p><script type="math/tex; mode=display">h(t) = h_0 + \\sum_{k=1}^{n} A_k \\, \\cos\\left(\\frac{2\\pi t}{T_k} - \\varphi_k\\right)</script></p>
<h2>Five waves that matter</h2>
<p>Hundreds of such terms are known. Five of them are enough to walk home with dry feet.</p>
<table><caption>The largest terms at the pier, in the year of the flood</caption><thead><tr><th>Wave</th><th>Cause</th><th>Period</th><th>Amplitude</th></tr></thead><tbody>
<tr><td>M<sub>2</sub></td><td>Moon, twice a day</td><td>12.42&nbsp;h</td><td>1.84&nbsp;m</td></tr>
<tr><td>S<sub>2</sub></td><td>Sun, twice a day</td><td>12.00&nbsp;h</td><td>0.62&nbsp;m</td></tr>
<tr><td>N<sub>2</sub></td><td>The moon's changing distance</td><td>12.66&nbsp;h</td><td>0.35&nbsp;m</td></tr>
<tr><td>K<sub>1</sub></td><td>Declination of sun and moon</td><td>23.93&nbsp;h</td><td>0.11&nbsp;m</td></tr>
<tr><td>O<sub>1</sub></td><td>Declination of the moon</td><td>25.82&nbsp;h</td><td>0.09&nbsp;m</td></tr></tbody></table>
<p>The rest is a sum, and a sum is a short program:</p>
<pre><code class="language-python">from math import cos, tau

# Amplitude in metres, period in hours, phase in radians.
WAVES = [(1.84, 12.42, 0.7), (0.62, 12.0, 1.9), (0.35, 12.66, 0.2)]

def height(hours: float, mean: float = 3.1) -&gt; float:
    """The height of the water above the chart datum."""
    return mean + sum(a * cos(tau * hours / t - p) for a, t, p in WAVES)

print(f"At noon: {height(12):.2f} m")</code></pre>
<p>It prints <code>At noon: 4.36 m</code>, which is a hand above the third step.</p>
<blockquote><p>Nobody at the pier believed the sheet until the water stopped where the pencil had said it would.</p></blockquote>
<p>The keeper kept the sheet.<sup><a id="r2" href="#n2">2</a></sup> It hangs in the office to this day, under glass, next to the barometer and the list of those who have a key.</p>
<section role="doc-endnotes"><ol><li id="n1">Rock follows, too, by about thirty centimetres twice a day. As everything around us moves with it, nobody notices. <a href="#r1">↩</a></li><li id="n2">The ledger names two keepers for that winter, and the handwriting settles nothing. <a href="#r2">↩</a></li></ol></section>
</article></body></html>`;

/** An article in Arabic, with a quotation, lists, a footnote, a table and code. */
export const HARBOUR_AR = `<!doctype html><html lang="ar" dir="rtl"><head><meta charset="utf-8"><title>ساعة الميناء القديم</title>
<meta name="author" content="ليلى حداد"><meta property="og:site_name" content="دفتر الميناء"></head><body><article><h1>ساعة الميناء القديم</h1>
<p>في كل مساء كان حارس الميناء يعدّ القوارب ويكتب عددها في دفتر لم يفتحه أحد غيره. وفي الصباح كان الماء يرتفع حتى الدرجة الثالثة، فتعود القوارب واحدًا بعد آخر، ويعرف الناس أن المدّ قد جاء.<sup><a id="r1" href="#n1">١</a></sup></p>
<blockquote><p>لا أحد يصدّق الجدول حتى يقف الماء حيث قال القلم إنه سيقف.</p></blockquote>
<h2>ما كان على الجدار</h2>
<p>ثلاثة أشياء كانت معلّقة في المكتب، ولم تتغيّر منذ خمسين سنة:</p>
<ul><li>مقياس للضغط من نحاس،</li><li>جدول للمدّ والجزر بخط اليد،</li><li>قائمة بأسماء من معهم المفتاح.</li></ul>
<p>وكان ترتيب العمل واضحًا لكل من يدخل:</p>
<ol><li>اقرأ ارتفاع الماء.</li><li>اكتب الساعة بجانبه.</li><li>أغلق الباب.</li></ol>
<table><caption>ارتفاع الماء في أسبوع واحد</caption><thead><tr><th>اليوم</th><th>الصباح</th><th>المساء</th></tr></thead><tbody><tr><td>الاثنين</td><td>٣٫٤ م</td><td>٢٫١ م</td></tr><tr><td>الثلاثاء</td><td>٣٫٦ م</td><td>١٫٩ م</td></tr></tbody></table>
<p>والحساب كله سطران، يكتبهما البرنامج <code>tide.py</code> من اليسار إلى اليمين:</p>
<pre><code class="language-python">mean = 3.1  # metres
print(f"At noon: {mean + wave(12):.2f} m")</code></pre>
<p>بقي الجدول معلّقًا في مكانه حتى اليوم، تحت الزجاج، ومن يمرّ به في المساء يستطيع أن يقرأ آخر سطر كُتب فيه.</p>
<section role="doc-endnotes"><ol><li id="n1">يذكر الدفتر حارسين في ذلك الشتاء، ولا يحسم الخط شيئًا بينهما. <a href="#r1">↩</a></li></ol></section>
</article></body></html>`;
