# Figure fig_slay_error, drawn by yatlab: gnuplot -c fig_slay_error.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
-0.05 0.4793337642 0.4357387507 0.5229287777
EOD
$panel0_line1 << EOD
0.95 0.4665380767 0.4261691127 0.5069070408
EOD
$panel0_line2 << EOD
1.95 0.2698253019 0.2107244233 0.3289261805
EOD
$panel0_line3 << EOD
-0.32 0.471443681 NaN NaN
-0.26 0.4919861143 NaN NaN
-0.2 0.4789829976 NaN NaN
-0.14 0.5188669226 NaN NaN
-0.08 0.4563548689 NaN NaN
-0.02 0.4661934486 NaN NaN
0.04 0.4634218643 NaN NaN
0.1 0.4864252662 NaN NaN
0.16 0.4909809285 NaN NaN
0.22 0.4686815496 NaN NaN
0.68 0.4571448264 NaN NaN
0.74 0.4722088291 NaN NaN
0.8 0.4589649952 NaN NaN
0.86 0.5041048734 NaN NaN
0.92 0.4464141026 NaN NaN
0.98 0.4566765684 NaN NaN
1.04 0.4565445759 NaN NaN
1.1 0.4783826688 NaN NaN
1.16 0.4791405733 NaN NaN
1.22 0.4557987539 NaN NaN
1.68 0.2642348989 NaN NaN
1.74 0.2943406439 NaN NaN
1.8 0.3013180836 NaN NaN
1.86 0.3126599997 NaN NaN
1.92 0.2507475614 NaN NaN
1.98 0.25298627 NaN NaN
2.04 0.2411619774 NaN NaN
2.1 0.2612829818 NaN NaN
2.16 0.2459570277 NaN NaN
2.22 0.2735635745 NaN NaN
EOD
$panel0_line4 << EOD
0.28 0.4939 NaN NaN
1.28 0.485 NaN NaN
EOD
$panel1_line0 << EOD
-0.05 0.8774545819 0.8531631786 0.9017459852
EOD
$panel1_line1 << EOD
0.95 0.8847153748 0.863096488 0.9063342616
EOD
$panel1_line2 << EOD
1.95 0.9632162886 0.9474468739 0.9789857034
EOD
$panel1_line3 << EOD
-0.32 0.8819077553 NaN NaN
-0.26 0.8707607632 NaN NaN
-0.2 0.8780473772 NaN NaN
-0.14 0.8548849305 NaN NaN
-0.08 0.8897979099 NaN NaN
-0.02 0.8846832433 NaN NaN
0.04 0.8861415168 NaN NaN
0.1 0.8737226254 NaN NaN
0.16 0.8711760622 NaN NaN
0.22 0.8834236353 NaN NaN
0.68 0.8896708829 NaN NaN
0.74 0.8818704511 NaN NaN
0.8 0.8889587314 NaN NaN
0.86 0.864304161 NaN NaN
0.92 0.8952896122 NaN NaN
0.98 0.8899472906 NaN NaN
1.04 0.8899733432 NaN NaN
1.1 0.8785797188 NaN NaN
1.16 0.8781509612 NaN NaN
1.22 0.8904085959 NaN NaN
1.68 0.964669395 NaN NaN
1.74 0.9569102697 NaN NaN
1.8 0.9552500151 NaN NaN
1.86 0.9510666854 NaN NaN
1.92 0.9684283039 NaN NaN
1.98 0.9677881217 NaN NaN
2.04 0.9705414022 NaN NaN
2.1 0.9655526592 NaN NaN
2.16 0.9693097768 NaN NaN
2.22 0.9626462575 NaN NaN
EOD
$panel1_line4 << EOD
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
set yrange [0.1982362491:0.5354169518] noextend
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
set yrange [0.8481302777:0.9840186044] noextend
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
