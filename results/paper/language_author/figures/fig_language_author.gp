# Figure fig_language_author, drawn by yatlab: gnuplot -c fig_language_author.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 5.56768684 5.554790683 5.580582997
1000 2.508901764 2.489289025 2.528514503
2000 2.233094403 2.205553346 2.26063546
3000 2.110867306 2.094718173 2.127016439
4000 2.036665213 2.026341128 2.046989297
5000 1.976264787 1.966194298 1.986335276
6000 1.930591758 1.913098319 1.948085197
7000 1.900166264 1.890190098 1.910142431
8000 1.882859304 1.882859304 1.88951051
EOD
$panel0_band0 << EOD
0 NaN 5.554790683 5.580582997
854.6201525 NaN 2.797393945 2.836933095
872.349102 NaN 2.757867861 2.797393945
1000 NaN 2.489289025 2.528514503
2000 NaN 2.205553346 2.26063546
3000 NaN 2.094718173 2.127016439
4000 NaN 2.026341128 2.046989297
5000 NaN 1.966194298 1.986335276
6000 NaN 1.913098319 1.948085197
7000 NaN 1.890190098 1.910142431
8000 NaN 1.882859304 1.88951051
EOD
$panel0_line1 << EOD
0 5.548590711 5.548369719 5.548811703
1000 2.712809175 2.681549294 2.744069056
2000 2.439959728 2.420409947 2.45950951
3000 2.342628767 2.339716577 2.345540958
4000 2.235584836 2.225040772 2.2461289
5000 2.172169404 2.160814307 2.183524501
6000 2.117721682 2.115233225 2.120210139
7000 2.080263709 2.074993335 2.085534083
8000 2.055757818 2.045896504 2.065619133
EOD
$panel0_band1 << EOD
0 NaN 5.548369719 5.548811703
941.8333385 NaN 2.797393945 2.858792865
972.6669109 NaN 2.735375905 2.797393945
1000 NaN 2.681549294 2.744069056
2000 NaN 2.420409947 2.45950951
3000 NaN 2.339716577 2.345540958
4000 NaN 2.225040772 2.2461289
5000 NaN 2.160814307 2.183524501
6000 NaN 2.115233225 2.120210139
7000 NaN 2.074993335 2.085534083
8000 NaN 2.045896504 2.065619133
EOD
$panel0_arrow0 << EOD
0 2.65289998 0 0.1274278385 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,166 background '#ffffff'
} }
set output 'fig_language_author'.'.'.format
set multiplot

reset
set lmargin at screen 0.1620626335
set rmargin at screen 0.8514917201
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [-320:8320] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2500' 2500, '5000' 5000, '7500' 7500)
set logscale y
set yrange [1.860281209:2.797393945] noextend
set ytics out nomirror scale 0.5,0 norotate ('2.0' 2, '2.2' 2.2, '2.4' 2.4, '2.6' 2.6)
set label 'step' at screen 0.5067771768,0.05108695652 center front
set label 'validation loss' at screen 0.04230769231,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set label '5-gram' at screen 0.8668763355,0.3516659338 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.4747697873 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.6815614061 left front tc rgb '#777777'
set arrow from screen 0.626139156,0.9054347826 to screen 0.6938314637,0.9054347826 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.6599853098,0.9054347826 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2' at screen 0.7184468483,0.9054347826 left front
set arrow from screen 0.626139156,0.8380434783 to screen 0.6938314637,0.8380434783 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.6599853098,0.8380434783 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether' at screen 0.7184468483,0.8380434783 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.403754293 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     2.152157506 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     2.015069031 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
