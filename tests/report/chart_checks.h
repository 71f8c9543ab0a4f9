// What charts must do, checked on the live page and on the page of a report.
#pragma once

#include <string>

#include "browser.h"
#include "catch.h"
#include "fake_run.h"

namespace yatlab::testing {

/// Gives every job 200 rows of train/loss. The third seed's value at step 60 is far above all others; the second seed's at step 90 is NaN.
inline void add_curves(FakeRun& run) {
  for (auto& job : run.jobs) {
    job.curve.clear();
    for (int step = 1; step <= 200; ++step) {
      Json value = 1 + 0.2 * job.seed + 0.01 * (step % 2);
      if (step == 60 && job.seed == 2) value = 50;
      if (step == 90 && job.seed == 1) value = "nan";
      job.curve.push_back({{"step", step}, {"epoch", step / 100.0}, {"train/loss", value}});
    }
  }
}

/// Hovering, zooming, the spike and the NaN of `add_curves`, on an open page with that chart.
inline void check_chart(Browser& browser) {
  const std::string chart = "document.querySelector('.chart[data-metric=\"train/loss\"]')";
  browser.eval("document.getElementById('curves').scrollIntoView({behavior: 'instant'})");
  const auto drawn = [&] { return browser.eval("(" + chart + " || document.body).dataset.drawn") == "2"; };
  for (int i = 0; i < 100 && !drawn(); ++i) browser.settle();
  REQUIRE(drawn());
  browser.eval(chart + ".scrollIntoView({block: 'center', behavior: 'instant'})");
  browser.settle();
  REQUIRE(browser.eval(chart + ".dataset.drawn") == "2");
  const auto box = browser.eval("(() => { const r = " + chart +
                                ".querySelector('.plot').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()");
  const double left = box[0], top = box[1], width = box[2], height = box[3];
  const auto at = [&](double step) { return 54 + (step - 1) / 199 * (width - 65); };  // inside the plot
  // Coloured pixels of one of the two canvases in a rectangle around x, counted in a copy.
  const auto ink = [&](const std::string& canvas, double x, int y0, int y1) -> int {
    return browser.eval(
        "(() => { const c = document.createElement('canvas'), g = c.getContext('2d', {willReadFrequently: true}); c.width = 9; c.height "
        "= " +
        std::to_string(y1 - y0) + "; g.drawImage(" + chart + ".querySelectorAll('canvas')[" + canvas + "], " +
        std::to_string(4 - static_cast<int>(x)) + ", " + std::to_string(-y0) +
        "); const d = g.getImageData(0, 0, 9, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 40 && "
        "Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 30) ++n; return n; })()");
  };
  CHECK(ink("0", at(60), 24, 60) > 5);
  CHECK(ink("0", at(75), 24, 60) == 0);
  CHECK(ink("0", at(90), 2, 11) > 5);
  CHECK(ink("0", at(105), 2, 11) == 0);
  // Values at the pointer, and the seed that is nearest to it.
  const std::string said = "(document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText)";
  const auto reads = [&](const std::string& text) { return browser.eval(said).get<std::string>().find(text) != std::string::npos; };
  browser.point(left + at(60), top + 30);
  browser.settle();
  CHECK(reads("step 60"));
  CHECK(reads("n = 5"));
  CHECK(reads("seed 2: 50"));
  CHECK(browser.eval(chart + ".dataset.near") == "seed 2");
  CHECK(ink("1", at(60), 24, 60) > 5);
  browser.point(left + at(90), top + height - 30);
  browser.settle();
  CHECK(reads("step 90"));
  CHECK(reads("1 not finite"));
  // Dragging zooms; Escape and a double click show all again.
  const auto last_step = [&] {
    browser.point(left + width / 2, top + height / 2);
    browser.point(left + width - 11, top + height / 2);
    browser.settle();
    const std::string text = browser.eval(said);
    return text.substr(0, text.find('\n'));
  };
  CHECK(last_step() == "step 200");
  browser.drag(left + at(40), top + 60, left + at(80), top + 80);
  CHECK(last_step() == "step 80");
  CHECK(ink("0", 54 + (60.0 - 40) / 40 * (width - 65), 24, 60) > 5);
  browser.eval(chart + ".querySelector('.plot').focus()");
  browser.press("Escape");
  browser.settle();
  CHECK(last_step() == "step 200");
  browser.drag(left + at(40), top + 60, left + at(80), top + 80);
  CHECK(last_step() == "step 80");
  browser.double_click(left + width / 2, top + height / 2);
  CHECK(last_step() == "step 200");
  // The keyboard reads the same.
  browser.eval(chart + ".querySelector('.plot').focus()");
  browser.press("Home");
  CHECK(reads("step 1\n"));
  browser.press("ArrowRight");
  CHECK(reads("step 2\n"));
  CHECK(browser.eval("document.getElementById('announce').textContent").get<std::string>().rfind("step 2; ", 0) == 0);
  browser.eval(
      "(() => { const s = document.querySelector('select[name=axis]'); s.value = 'epoch'; s.dispatchEvent(new Event('change')); })()");
  browser.settle();
  CHECK(last_step() == "epoch 2");
}

}  // namespace yatlab::testing
