# Figure fig_reliability_scaled, drawn by yatlab: gnuplot -c fig_reliability_scaled.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0 NaN NaN
1 0 NaN NaN
EOD
$panel0_line1 << EOD
0.2378560986 0.2413105681 0.09547723472 0.3750654556
0.3024235032 0.2634679697 0.1751712155 0.346586024
0.3696758122 0.09445920888 0.03439149892 0.1589842154
0.4359549238 0.05384099462 0.002039763379 0.1049819471
0.5010494918 0.06914114941 0.03054347951 0.1085540605
0.5660057752 0.007678435292 -0.03208603515 0.0457509087
0.6315102011 0.01867294913 -0.02240286956 0.05599252582
0.7007775506 0.02336038039 -0.01529594499 0.05710016603
0.7672560265 0.02229404609 -0.006555865658 0.05345800624
0.8331828783 0.02453524254 -0.001766768138 0.04882100522
0.9023148204 -0.004926760679 -0.02303168882 0.01199698334
0.9862524483 -0.01025063707 -0.01478799821 -0.005942136316
EOD
$panel0_line2 << EOD
0.3083522358 -0.0525382823 -0.1750189025 0.09175414719
0.3705790334 -0.03159598256 -0.1225202212 0.05285202477
0.4349726628 0.05617777971 -0.007699935493 0.1229858897
0.5036672602 0.008527861783 -0.04025965086 0.05397477943
0.5663776787 0.005962746848 -0.03762292399 0.05380877109
0.6351788097 0.03605406698 -0.007331620311 0.08049065798
0.6994387779 -0.006256959713 -0.05062244219 0.03798816108
0.7667907404 0.02036522287 -0.01352786042 0.05391512622
0.8353897202 0.004670070515 -0.02462036124 0.03331272271
0.9031917379 0.01356866707 -0.004063264024 0.03051193482
0.9877320317 -0.001478334147 -0.004475561876 0.001336991517
EOD
$panel1_line0 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0.0018 NaN NaN
0.2 0.0018 NaN NaN
0.2 0.0048 NaN NaN
0.2666666667 0.0048 NaN NaN
0.2666666667 0.0129 NaN NaN
0.3333333333 0.0129 NaN NaN
0.3333333333 0.0237 NaN NaN
0.4 0.0237 NaN NaN
0.4 0.0343 NaN NaN
0.4666666667 0.0343 NaN NaN
0.4666666667 0.0577 NaN NaN
0.5333333333 0.0577 NaN NaN
0.5333333333 0.057 NaN NaN
0.6 0.057 NaN NaN
0.6 0.0546 NaN NaN
0.6666666667 0.0546 NaN NaN
0.6666666667 0.0609 NaN NaN
0.7333333333 0.0609 NaN NaN
0.7333333333 0.0689 NaN NaN
0.8 0.0689 NaN NaN
0.8 0.0745 NaN NaN
0.8666666667 0.0745 NaN NaN
0.8666666667 0.1072 NaN NaN
0.9333333333 0.1072 NaN NaN
0.9333333333 0.4417 NaN NaN
1 0.4417 NaN NaN
EOD
$panel1_line1 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0 NaN NaN
0.2 0 NaN NaN
0.2 0.0005 NaN NaN
0.2666666667 0.0005 NaN NaN
0.2666666667 0.0043 NaN NaN
0.3333333333 0.0043 NaN NaN
0.3333333333 0.0118 NaN NaN
0.4 0.0118 NaN NaN
0.4 0.0226 NaN NaN
0.4666666667 0.0226 NaN NaN
0.4666666667 0.041 NaN NaN
0.5333333333 0.041 NaN NaN
0.5333333333 0.047 NaN NaN
0.6 0.047 NaN NaN
0.6 0.0438 NaN NaN
0.6666666667 0.0438 NaN NaN
0.6666666667 0.044 NaN NaN
0.7333333333 0.044 NaN NaN
0.7333333333 0.0545 NaN NaN
0.8 0.0545 NaN NaN
0.8 0.0669 NaN NaN
0.8666666667 0.0669 NaN NaN
0.8666666667 0.0889 NaN NaN
0.9333333333 0.0889 NaN NaN
0.9333333333 0.5747 NaN NaN
1 0.5747 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,4.06in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,780 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,292 background '#ffffff'
} }
set output 'fig_reliability_scaled'.'.'.format
set multiplot

reset
set lmargin at screen 0.1945479434
set rmargin at screen 0.9692307692
set bmargin at screen 0.5979064039
set tmargin at screen 0.9802955665
set xrange [0:1] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)
set yrange [-0.1970222768:0.39706883] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '20 %%' 0.2)
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
set yrange [0:0.597688] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '20 %%' 0.2, '40 %%' 0.4)
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
