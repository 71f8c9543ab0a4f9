# Figure fig_reliability, drawn by yatlab: gnuplot -c fig_reliability.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0 NaN NaN
1 0 NaN NaN
EOD
$panel0_line1 << EOD
0.2456579912 0.08767534209 -0.1207829912 0.3044808976
0.3041066812 0.1283257512 -0.03585464868 0.2856369085
0.3717153301 0.07726426169 -0.01687662047 0.1797035756
0.4360412499 0.002160997322 -0.0693745832 0.07066366816
0.5031745673 0.006027886663 -0.04639794695 0.05802746667
0.5678838493 -0.04227738032 -0.09642071569 0.01092367256
0.6332228642 -0.08827904394 -0.1378995375 -0.03964885561
0.6994045575 -0.1219045575 -0.1725241484 -0.07340069141
0.7667500923 -0.1256122368 -0.1687260969 -0.08354663735
0.8348122967 -0.1369565462 -0.1748543048 -0.100941329
0.9026786785 -0.1260346875 -0.1526854206 -0.09813257456
0.9905648412 -0.04387511016 -0.04936132164 -0.03866119802
EOD
$panel0_line2 << EOD
0.304188591 -0.02418859104 -0.1989254331 0.172053645
0.3714744219 0.009477959073 -0.08412115702 0.09969303095
0.4373417752 -0.04552890972 -0.117149657 0.03471648794
0.5042346661 0.01387118345 -0.0370265682 0.06921267915
0.5675859368 -0.03023653926 -0.07854265086 0.01714646172
0.6316569042 0.0102868298 -0.03710159309 0.06028274366
0.7000854505 -0.03724141382 -0.0836478537 0.008152294582
0.7685144413 -0.01041508929 -0.05123757473 0.02903797557
0.8349852452 -0.03865803314 -0.07239706046 -0.008057883305
0.9022729092 -0.01915602606 -0.04145951205 0.00176532968
0.9894639936 -0.007243208046 -0.01041225252 -0.004005159332
EOD
$panel1_line0 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0.0002 NaN NaN
0.2 0.0002 NaN NaN
0.2 0.0021 NaN NaN
0.2666666667 0.0021 NaN NaN
0.2666666667 0.0037 NaN NaN
0.3333333333 0.0037 NaN NaN
0.3333333333 0.0098 NaN NaN
0.4 0.0098 NaN NaN
0.4 0.0178 NaN NaN
0.4666666667 0.0178 NaN NaN
0.4666666667 0.0326 NaN NaN
0.5333333333 0.0326 NaN NaN
0.5333333333 0.0371 NaN NaN
0.6 0.0371 NaN NaN
0.6 0.0356 NaN NaN
0.6666666667 0.0356 NaN NaN
0.6666666667 0.04 NaN NaN
0.7333333333 0.04 NaN NaN
0.7333333333 0.0457 NaN NaN
0.8 0.0457 NaN NaN
0.8 0.0513 NaN NaN
0.8666666667 0.0513 NaN NaN
0.8666666667 0.0882 NaN NaN
0.9333333333 0.0882 NaN NaN
0.9333333333 0.6359 NaN NaN
1 0.6359 NaN NaN
EOD
$panel1_line1 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0 NaN NaN
0.2 0 NaN NaN
0.2 0.0002 NaN NaN
0.2666666667 0.0002 NaN NaN
0.2666666667 0.0025 NaN NaN
0.3333333333 0.0025 NaN NaN
0.3333333333 0.0105 NaN NaN
0.4 0.0105 NaN NaN
0.4 0.0171 NaN NaN
0.4666666667 0.0171 NaN NaN
0.4666666667 0.0359 NaN NaN
0.5333333333 0.0359 NaN NaN
0.5333333333 0.0415 NaN NaN
0.6 0.0415 NaN NaN
0.6 0.0391 NaN NaN
0.6666666667 0.0391 NaN NaN
0.6666666667 0.0436 NaN NaN
0.7333333333 0.0436 NaN NaN
0.7333333333 0.0463 NaN NaN
0.8 0.0463 NaN NaN
0.8 0.0599 NaN NaN
0.8666666667 0.0599 NaN NaN
0.8666666667 0.0847 NaN NaN
0.9333333333 0.0847 NaN NaN
0.9333333333 0.6187 NaN NaN
1 0.6187 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,4.06in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,780 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,292 background '#ffffff'
} }
set output 'fig_reliability'.'.'.format
set multiplot

reset
set lmargin at screen 0.2231937767
set rmargin at screen 0.9692307692
set bmargin at screen 0.5979064039
set tmargin at screen 0.9802955665
set xrange [0:1] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)
set yrange [-0.2190616864:0.3246171509] noextend
set ytics out nomirror scale 0.5,0 norotate ('−20 %%' -0.2, '0 %%' 0, '20 %%' 0.2)
set label 'accuracy − confidence' at screen 0.04230769231,0.7891009852 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
plot $panel0_line0 using 1:2 with lines lc rgb '#888888' lw 0.8 dt 2  notitle, \
     $panel0_line1 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#0072b2' lw 0.8 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line2 using 1:3:(0):($4-$3) with vectors heads size screen 0.006,90 lc rgb '#d55e00' lw 0.8 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle

reset
set lmargin at screen 0.1945479434
set rmargin at screen 0.9692307692
set bmargin at screen 0.1674876847
set tmargin at screen 0.506773399
set xrange [0:1] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)
set yrange [0:0.661336] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '20 %%' 0.2, '40 %%' 0.4, '60 %%' 0.6)
set label 'confidence in the likeliest class' at screen 0.5818893563,0.08189655172 center front
set label 'share of samples' at screen 0.04230769231,0.3371305419 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.3197332399,0.02647783251 to screen 0.3874255475,0.02647783251 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.3535793937,0.02647783251 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.4120409322,0.02647783251 left front
set arrow from screen 0.499100227,0.02647783251 to screen 0.5667925347,0.02647783251 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.5329463809,0.02647783251 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'ReLU' at screen 0.5914079193,0.02647783251 left front
plot $panel1_line0 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 1  notitle, \
     $panel1_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 1  notitle
unset multiplot
unset output
