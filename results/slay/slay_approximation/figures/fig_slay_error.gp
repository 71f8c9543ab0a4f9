# Figure fig_slay_error, drawn by yatlab: gnuplot -c fig_slay_error.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
-0.05 0.4793328678 0.4357367327 0.522929003
EOD
$panel0_line1 << EOD
0.95 0.4665380757 0.4261691094 0.506907042
EOD
$panel0_line2 << EOD
1.95 0.2697924405 0.2106181163 0.3289667646
EOD
$panel0_line3 << EOD
-0.32 0.471443089 NaN NaN
-0.26 0.491985577 NaN NaN
-0.2 0.4789829789 NaN NaN
-0.14 0.5188669041 NaN NaN
-0.08 0.4563533091 NaN NaN
-0.02 0.4661929256 NaN NaN
0.04 0.4634197691 NaN NaN
0.1 0.4864246342 NaN NaN
0.16 0.490979926 NaN NaN
0.22 0.4686795657 NaN NaN
0.68 0.4571448254 NaN NaN
0.74 0.4722088278 NaN NaN
0.8 0.4589649964 NaN NaN
0.86 0.5041048744 NaN NaN
0.92 0.4464140988 NaN NaN
0.98 0.4566765687 NaN NaN
1.04 0.4565445737 NaN NaN
1.1 0.47838267 NaN NaN
1.16 0.4791405712 NaN NaN
1.22 0.4557987506 NaN NaN
1.68 0.2642348759 NaN NaN
1.74 0.2943401345 NaN NaN
1.8 0.3013179165 NaN NaN
1.86 0.3126595728 NaN NaN
1.92 0.2507211072 NaN NaN
1.98 0.2529863589 NaN NaN
2.04 0.2410243374 NaN NaN
2.1 0.2612734121 NaN NaN
2.16 0.2458478484 NaN NaN
2.22 0.2735188411 NaN NaN
EOD
$panel0_line4 << EOD
0.28 0.4939 NaN NaN
0.28 0.527 NaN NaN
1.28 0.485 NaN NaN
1.28 0.544 NaN NaN
EOD
$panel1_line0 << EOD
-0.05 0.8774549489 0.8531627924 0.9017471054
EOD
$panel1_line1 << EOD
0.95 0.8847153776 0.8630964906 0.9063342646
EOD
$panel1_line2 << EOD
1.95 0.9632232635 0.9474371063 0.9790094207
EOD
$panel1_line3 << EOD
-0.32 0.8819081753 NaN NaN
-0.26 0.870760602 NaN NaN
-0.2 0.8780469272 NaN NaN
-0.14 0.8548847236 NaN NaN
-0.08 0.8897987184 NaN NaN
-0.02 0.8846835418 NaN NaN
0.04 0.8861426959 NaN NaN
0.1 0.873722944 NaN NaN
0.16 0.8711767172 NaN NaN
0.22 0.8834244433 NaN NaN
0.68 0.889670885 NaN NaN
0.74 0.881870454 NaN NaN
0.8 0.888958733 NaN NaN
0.86 0.8643041637 NaN NaN
0.92 0.8952896164 NaN NaN
0.98 0.8899472923 NaN NaN
1.04 0.8899733463 NaN NaN
1.1 0.8785797213 NaN NaN
1.16 0.8781509645 NaN NaN
1.22 0.8904085995 NaN NaN
1.68 0.964669248 NaN NaN
1.74 0.9569095694 NaN NaN
1.8 0.9552493253 NaN NaN
1.86 0.9510663418 NaN NaN
1.92 0.9684326937 NaN NaN
1.98 0.9677876781 NaN NaN
2.04 0.9705734764 NaN NaN
2.1 0.9655534442 NaN NaN
2.16 0.9693352951 NaN NaN
2.22 0.9626555628 NaN NaN
EOD
$panel1_line4 << EOD
0.28 0.85 NaN NaN
1.28 0.839 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.1in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,403 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,151 background '#ffffff'
} }
set output 'fig_slay_error'.'.'.format
set multiplot

reset
set lmargin at screen 0.049141268
set rmargin at screen 0.4851851852
set bmargin at screen 0.2404761905
set tmargin at screen 0.8833333333
set label 'relative L2 error' at screen 0.2671632266,0.9488095238 center front
set xrange [-0.6:2.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('anchors 512' 0, 'Laplace 512' 1, 'square 512' 2)
set yrange [0.197282841:0.5573352753] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.2' 0.2, '0.3' 0.3, '0.4' 0.4, '0.5' 0.5)
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel0_line3 using 1:2 with points lc rgb '#0072b2' lw 1 pt 7 ps 0.45 notitle, \
     $panel0_line4 using 1:2 with points lc rgb '#000000' lw 1 pt 12 ps 0.75 notitle

reset
set lmargin at screen 0.5596141975
set rmargin at screen 0.9851851852
set bmargin at screen 0.2404761905
set tmargin at screen 0.8833333333
set label 'cosine' at screen 0.7723996914,0.9488095238 center front
set xrange [-0.6:2.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('anchors 512' 0, 'Laplace 512' 1, 'square 512' 2)
set yrange [0.8333996232:0.9846097975] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.85' 0.85, '0.90' 0.9, '0.95' 0.95)
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '' at screen 0.1832378472,0.05119047619 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'ours, one dot a seed, with the 95 % interval of one more run' at screen 0.2113859954,0.05119047619 left front
set label '' at screen 0.757030607,0.05119047619 point pt 12 ps 0.75 lc rgb '#000000' front
set label 'paper' at screen 0.7851787551,0.05119047619 left front
plot $panel1_line0 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel1_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel1_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 1.1 notitle, \
     $panel1_line3 using 1:2 with points lc rgb '#0072b2' lw 1 pt 7 ps 0.45 notitle, \
     $panel1_line4 using 1:2 with points lc rgb '#000000' lw 1 pt 12 ps 0.75 notitle
unset multiplot
unset output
