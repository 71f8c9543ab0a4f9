# Figure fig_reliability, drawn by yatlab: gnuplot -c fig_reliability.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0 NaN NaN
1 1 NaN NaN
EOD
$panel0_line1 << EOD
0.2457818963 0.3333333333 0.124875 0.5501388889
0.303116967 0.4444444444 0.28121875 0.6060606061
0.3722423276 0.4368932039 0.3428084416 0.5353625541
0.4375943145 0.4444444444 0.3756733425 0.5122075028
0.5038102834 0.5205047319 0.4653390111 0.5741408819
0.5676409013 0.5210526316 0.4685822541 0.5702867747
0.6342925048 0.5464788732 0.4942280881 0.5923936605
0.6991777928 0.5757575758 0.5262828947 0.6223105262
0.7675741248 0.643776824 0.599978678 0.6839939911
0.8356511245 0.6946107784 0.6542936198 0.7337170592
0.9024999029 0.7805714286 0.7530953356 0.8080189378
0.9905005812 0.9469221106 0.9414441993 0.9521283337
EOD
$panel0_line2 << EOD
0.3072707435 0.3214285714 0.1498214286 0.5
0.3723538881 0.311827957 0.2222222222 0.4020677805
0.4358078943 0.4358974359 0.3571324144 0.5170126671
0.5030659497 0.4792243767 0.4294641032 0.5318683803
0.5657158432 0.5617433414 0.5140186916 0.6121129323
0.634045269 0.5846153846 0.5366127771 0.6338804527
0.6995552754 0.6726457399 0.6285697597 0.7165787863
0.7678565635 0.7310756972 0.689993083 0.7701049838
0.8357151955 0.8016806723 0.7714714842 0.8338941385
0.9020403145 0.8792899408 0.8586445552 0.899660846
0.9892896822 0.9815085158 0.9781894565 0.9846656703
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
0.2666666667 0.0036 NaN NaN
0.3333333333 0.0036 NaN NaN
0.3333333333 0.0103 NaN NaN
0.4 0.0103 NaN NaN
0.4 0.018 NaN NaN
0.4666666667 0.018 NaN NaN
0.4666666667 0.0317 NaN NaN
0.5333333333 0.0317 NaN NaN
0.5333333333 0.038 NaN NaN
0.6 0.038 NaN NaN
0.6 0.0355 NaN NaN
0.6666666667 0.0355 NaN NaN
0.6666666667 0.0396 NaN NaN
0.7333333333 0.0396 NaN NaN
0.7333333333 0.0466 NaN NaN
0.8 0.0466 NaN NaN
0.8 0.0501 NaN NaN
0.8666666667 0.0501 NaN NaN
0.8666666667 0.0875 NaN NaN
0.9333333333 0.0875 NaN NaN
0.9333333333 0.6368 NaN NaN
1 0.6368 NaN NaN
EOD
$panel1_line1 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0 NaN NaN
0.2 0 NaN NaN
0.2 0.0006 NaN NaN
0.2666666667 0.0006 NaN NaN
0.2666666667 0.0028 NaN NaN
0.3333333333 0.0028 NaN NaN
0.3333333333 0.0093 NaN NaN
0.4 0.0093 NaN NaN
0.4 0.0156 NaN NaN
0.4666666667 0.0156 NaN NaN
0.4666666667 0.0361 NaN NaN
0.5333333333 0.0361 NaN NaN
0.5333333333 0.0413 NaN NaN
0.6 0.0413 NaN NaN
0.6 0.039 NaN NaN
0.6666666667 0.039 NaN NaN
0.6666666667 0.0446 NaN NaN
0.7333333333 0.0446 NaN NaN
0.7333333333 0.0502 NaN NaN
0.8 0.0502 NaN NaN
0.8 0.0595 NaN NaN
0.8666666667 0.0595 NaN NaN
0.8666666667 0.0845 NaN NaN
0.9333333333 0.0845 NaN NaN
0.9333333333 0.6165 NaN NaN
1 0.6165 NaN NaN
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
set lmargin at screen 0.1620626335
set rmargin at screen 0.9692307692
set bmargin at screen 0.5979064039
set tmargin at screen 0.9802955665
set xrange [0:1] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)
set yrange [0:1] noextend
set ytics out nomirror scale 0.5,0 norotate ('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)
set label 'accuracy' at screen 0.04230769231,0.7891009852 center rotate by 90 front
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
set yrange [0:0.662272] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '20 %%' 0.2, '40 %%' 0.4, '60 %%' 0.6)
set label 'confidence in the likeliest class' at screen 0.5818893563,0.08189655172 center front
set label 'share of samples' at screen 0.04230769231,0.3371305419 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.3165431357,0.02647783251 to screen 0.3842354434,0.02647783251 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.3503892895,0.02647783251 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label '{/:Normal=12 ⵟ}' at screen 0.408850828,0.02647783251 left front
set arrow from screen 0.5022903312,0.02647783251 to screen 0.5699826389,0.02647783251 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.536136485,0.02647783251 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'ReLU' at screen 0.5945980235,0.02647783251 left front
plot $panel1_line0 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 1  notitle, \
     $panel1_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 1  notitle
unset multiplot
unset output
