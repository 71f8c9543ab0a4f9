#pragma once

#include <array>
#include <vector>

namespace yatlab::digits {

struct Point {
  float x = 0, y = 0;
};

/// A pen stroke through control points, in a box 1 wide and 1 high, y down. Smooth strokes follow a Catmull-Rom spline; others are straight from
/// point to point.
struct Stroke {
  bool smooth;
  std::vector<Point> points;
};

/// One way of writing a digit.
struct Glyph {
  float width;  ///< relative to its height
  std::vector<Stroke> strokes;
};

/// The ways of writing each digit, 0 to 9, all equally likely.
inline const std::array<std::vector<Glyph>, 10>& glyphs() {
  constexpr bool kSmooth = true, kStraight = false;
  static const std::array<std::vector<Glyph>, 10> table = {{
      // 0: round; narrow, the pen starting at the top and overshooting
      {{0.72f,
        {{kSmooth,
          {{.5f, 0}, {.14f, .14f}, {0, .5f}, {.14f, .86f}, {.5f, 1}, {.86f, .86f}, {1, .5f}, {.86f, .14f}, {.5f, 0}, {.14f, .14f}}}}},
       {0.52f,
        {{kSmooth, {{.7f, .02f}, {.3f, .06f}, {.02f, .42f}, {.08f, .84f}, {.45f, 1}, {.88f, .8f}, {1, .4f}, {.8f, .08f}, {.5f, .02f}}}}}},
      // 1: a bare stroke (three times: by far the most common); with a flag; with flag and foot
      {{0.20f, {{kStraight, {{.5f, 0}, {.5f, .5f}, {.5f, 1}}}}},
       {0.20f, {{kSmooth, {{.6f, 0}, {.45f, .5f}, {.5f, 1}}}}},
       {0.20f, {{kSmooth, {{.5f, 0}, {.55f, .5f}, {.45f, 1}}}}},
       {0.24f, {{kStraight, {{.0f, .24f}, {.8f, 0}, {.8f, 1}}}}},
       {0.48f, {{kStraight, {{.1f, .22f}, {.5f, 0}, {.5f, 1}}}, {kStraight, {{.05f, 1}, {.95f, 1}}}}}},
      // 2: straight foot; looped foot
      {{0.68f,
        {{kSmooth, {{.04f, .24f}, {.2f, .05f}, {.55f, 0}, {.86f, .12f}, {.86f, .38f}, {.5f, .7f}, {.02f, 1}}},
         {kStraight, {{.02f, 1}, {.5f, .98f}, {1, .98f}}}}},
       {0.74f,
        {{kSmooth,
          {{.08f, .18f},
           {.35f, .01f},
           {.72f, .08f},
           {.78f, .36f},
           {.52f, .7f},
           {.2f, .96f},
           {.02f, .9f},
           {.12f, .76f},
           {.4f, .82f},
           {.7f, .98f},
           {1, .9f}}}}}},
      // 3: two bows; flat top
      {{0.62f,
        {{kSmooth, {{.06f, .12f}, {.38f, 0}, {.78f, .06f}, {.84f, .28f}, {.62f, .44f}, {.3f, .48f}}},
         {kSmooth, {{.3f, .48f}, {.7f, .51f}, {.97f, .68f}, {.84f, .92f}, {.44f, 1}, {.02f, .9f}}}}},
       {0.62f,
        {{kStraight, {{.06f, .01f}, {.88f, 0}, {.4f, .4f}}},
         {kSmooth, {{.4f, .4f}, {.82f, .5f}, {.96f, .74f}, {.72f, .97f}, {.32f, 1}, {.02f, .9f}}}}}},
      // 4: open top; closed top
      {{0.66f,
        {{kSmooth, {{.14f, 0}, {.06f, .26f}, {.06f, .5f}, {.34f, .56f}, {.96f, .5f}}}, {kSmooth, {{.86f, .04f}, {.8f, .5f}, {.76f, 1}}}}},
       {0.70f, {{kStraight, {{.68f, 0}, {.02f, .62f}, {1, .62f}}}, {kStraight, {{.7f, 0}, {.68f, .5f}, {.68f, 1}}}}}},
      // 5: angular, the bar last; in one flowing stroke
      {{0.64f,
        {{kStraight, {{.22f, 0}, {.16f, .44f}}},
         {kSmooth, {{.16f, .44f}, {.5f, .36f}, {.86f, .48f}, {.94f, .72f}, {.7f, .96f}, {.34f, 1}, {.02f, .9f}}},
         {kStraight, {{.22f, 0}, {.6f, .0f}, {.96f, .0f}}}}},
       {0.66f,
        {{kSmooth, {{1, .02f}, {.6f, .02f}, {.3f, .08f}, {.16f, .3f}, {.4f, .44f}, {.74f, .56f}, {.8f, .8f}, {.5f, 1}, {.1f, .96f}}}}}},
      // 6: curved; with a straight stem and a small bowl
      {{0.62f,
        {{kSmooth,
          {{.78f, .02f},
           {.4f, .16f},
           {.1f, .5f},
           {.08f, .8f},
           {.36f, 1},
           {.76f, .95f},
           {.94f, .74f},
           {.74f, .54f},
           {.4f, .56f},
           {.1f, .76f}}}}},
       {0.54f,
        {{kSmooth,
          {{.56f, 0}, {.24f, .34f}, {.06f, .72f}, {.3f, .99f}, {.74f, .96f}, {.92f, .76f}, {.7f, .62f}, {.36f, .68f}, {.16f, .88f}}}}}},
      // 7: plain; barred; with a serif and a curved stem
      {{0.66f, {{kStraight, {{.02f, .03f}, {.96f, 0}, {.66f, .5f}, {.42f, 1}}}}},
       {0.66f, {{kStraight, {{.02f, .03f}, {.96f, 0}, {.66f, .5f}, {.42f, 1}}}, {kStraight, {{.34f, .5f}, {.96f, .48f}}}}},
       {0.66f, {{kStraight, {{.04f, .2f}, {.06f, .02f}, {.94f, .04f}}}, {kSmooth, {{.94f, .04f}, {.62f, .42f}, {.46f, .72f}, {.42f, 1}}}}}},
      // 8: one stroke crossing itself; two rings
      {{0.60f,
        {{kSmooth,
          {{.84f, .12f},
           {.5f, 0},
           {.16f, .1f},
           {.16f, .32f},
           {.5f, .48f},
           {.86f, .68f},
           {.84f, .9f},
           {.5f, 1},
           {.14f, .9f},
           {.12f, .68f},
           {.5f, .48f},
           {.82f, .32f},
           {.84f, .12f}}}}},
       {0.58f,
        {{kSmooth, {{.5f, 0}, {.18f, .1f}, {.16f, .34f}, {.5f, .46f}, {.84f, .34f}, {.82f, .1f}, {.5f, 0}}},
         {kSmooth, {{.5f, .46f}, {.1f, .58f}, {.08f, .88f}, {.5f, 1}, {.92f, .88f}, {.9f, .58f}, {.5f, .46f}}}}}},
      // 9: straight stem; curled tail
      {{0.60f,
        {{kSmooth, {{.9f, .16f}, {.56f, 0}, {.16f, .1f}, {.06f, .34f}, {.34f, .5f}, {.72f, .42f}, {.92f, .18f}}},
         {kSmooth, {{.92f, .1f}, {.86f, .5f}, {.76f, 1}}}}},
       {0.62f,
        {{kSmooth, {{.9f, .2f}, {.56f, 0}, {.14f, .1f}, {.08f, .36f}, {.4f, .5f}, {.76f, .42f}, {.92f, .2f}}},
         {kSmooth, {{.92f, .14f}, {.94f, .56f}, {.78f, .9f}, {.4f, 1}, {.1f, .9f}}}}}},
  }};
  return table;
}

}  // namespace yatlab::digits
