# Figure fig_language_scores, drawn by yatlab: gnuplot -c fig_language_scores.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 5.548255889 5.546711433 5.549800345
1000 2.533936673 2.524098191 2.543775155
2000 2.157430139 2.06987152 2.244988757
3000 1.953748251 1.912341909 1.995154593
4000 1.83870453 1.794380744 1.883028316
5000 1.757194451 1.717066053 1.797322849
6000 1.701771154 1.657425021 1.746117286
7000 1.663444473 1.643197456 1.705851655
8000 1.643197456 1.643197456 1.683503858
EOD
$panel0_band0 << EOD
0 NaN 5.546711433 5.549800345
842.0059302 NaN 2.858439809 2.87744411
850.5001951 NaN 2.839387155 2.858439809
1000 NaN 2.524098191 2.543775155
2000 NaN 2.06987152 2.244988757
3000 NaN 1.912341909 1.995154593
4000 NaN 1.794380744 1.883028316
5000 NaN 1.717066053 1.797322849
6000 NaN 1.657425021 1.746117286
7000 NaN 1.643197456 1.705851655
8000 NaN 1.643197456 1.683503858
EOD
$panel0_line1 << EOD
0 5.548255889 5.546711433 5.549800345
1000 2.498271097 2.480545201 2.515996994
2000 2.131083077 2.047401111 2.214765043
3000 1.970016478 1.898037056 2.041995901
4000 1.882812372 1.81719154 1.948433204
5000 1.817899716 1.74933279 1.886466642
6000 1.774158639 1.705406486 1.842910791
7000 1.744882753 1.678229369 1.811536137
8000 1.727536178 1.649575319 1.805497038
EOD
$panel0_band1 << EOD
0 NaN 5.546711433 5.549800345
823.7941472 NaN 2.858439809 2.892335558
838.6955247 NaN 2.824367416 2.858439809
1000 NaN 2.480545201 2.515996994
2000 NaN 2.047401111 2.214765043
3000 NaN 1.898037056 2.041995901
4000 NaN 1.81719154 1.948433204
5000 NaN 1.74933279 1.886466642
6000 NaN 1.705406486 1.842910791
7000 NaN 1.678229369 1.811536137
8000 NaN 1.649575319 1.805497038
EOD
$panel0_arrow0 << EOD
0 2.654090356 0 0.1799897846 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,166 background '#ffffff'
} }
set output 'fig_language_scores'.'.'.format
set multiplot

reset
set lmargin at screen 0.1838141026
set rmargin at screen 0.8514917201
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [-320:8320] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '5000' 5000)
set logscale y
set yrange [1.524719696:2.858439809] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.75' 1.75, '2.00' 2, '2.25' 2.25, '2.50' 2.5, '2.75' 2.75)
set label 'step' at screen 0.5176529113,0.05108695652 center front
set label 'validation loss' at screen 0.04230769231,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '5.55' at first 172.8,2.742609117 left norotate front tc rgb '#000000' boxed
set label '5-gram' at screen 0.8668763355,0.2298838873 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.3880913687 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.6077350953 left front tc rgb '#777777'
set arrow from screen 0.3755048077,0.9054347826 to screen 0.4431971154,0.9054347826 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.4093509615,0.9054347826 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Aether' at screen 0.4678125,0.9054347826 left front
set arrow from screen 0.3755048077,0.8380434783 to screen 0.4431971154,0.8380434783 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.4093509615,0.8380434783 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether, learned scale' at screen 0.4678125,0.8380434783 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.129405586 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.777019902 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.559918145 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
