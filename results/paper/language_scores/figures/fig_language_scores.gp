# Figure fig_language_scores, drawn by yatlab: gnuplot -c fig_language_scores.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 5.548704817 5.547278135 5.550131498
1000 2.533851341 2.525555152 2.542147529
2000 2.158673837 2.093538899 2.223808775
3000 1.948116743 1.915942122 1.980291363
4000 1.830271489 1.793768702 1.866774275
5000 1.750389369 1.718271505 1.782507233
6000 1.692678781 1.657797381 1.72756018
7000 1.652589744 1.632374593 1.687843839
8000 1.632374593 1.632374593 1.665744231
EOD
$panel0_band0 << EOD
0 NaN 5.547278135 5.550131498
848.6790568 NaN 2.844898107 2.860975008
855.8961889 NaN 2.828788356 2.844898107
1000 NaN 2.525555152 2.542147529
2000 NaN 2.093538899 2.223808775
3000 NaN 1.915942122 1.980291363
4000 NaN 1.793768702 1.866774275
5000 NaN 1.718271505 1.782507233
6000 NaN 1.657797381 1.72756018
7000 NaN 1.632374593 1.687843839
8000 NaN 1.632374593 1.665744231
EOD
$panel0_line1 << EOD
0 5.548704817 5.547278135 5.550131498
1000 2.497545293 2.490377101 2.504713485
2000 2.181974785 2.14367149 2.22027808
3000 2.055111438 2.020509433 2.089713443
4000 1.969835395 1.903228736 2.036442055
5000 1.903323008 1.826434738 1.980211277
6000 1.847016735 1.763260668 1.930772802
7000 1.810262671 1.721375218 1.899150124
8000 1.794011784 1.699533679 1.888489888
EOD
$panel0_band1 << EOD
0 NaN 5.547278135 5.550131498
833.8150146 NaN 2.844898107 2.858791494
839.9379898 NaN 2.830981653 2.844898107
1000 NaN 2.490377101 2.504713485
2000 NaN 2.14367149 2.22027808
3000 NaN 2.020509433 2.089713443
4000 NaN 1.903228736 2.036442055
5000 NaN 1.826434738 1.980211277
6000 NaN 1.763260668 1.930772802
7000 NaN 1.721375218 1.899150124
8000 NaN 1.699533679 1.888489888
EOD
$panel0_arrow0 << EOD
0 2.640931675 0 0.1796500729 0x000000
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
set yrange [1.524200068:2.844898107] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.75' 1.75, '2.00' 2, '2.25' 2.25, '2.50' 2.5, '2.75' 2.75)
set label 'step' at screen 0.5176529113,0.05108695652 center front
set label 'validation loss' at screen 0.04230769231,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '5.55' at first 172.8,2.729278967 left norotate front tc rgb '#000000' boxed
set label '5-gram' at screen 0.8668763355,0.230162947 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.3896168363 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.6109126643 left front tc rgb '#777777'
set arrow from screen 0.3755048077,0.9054347826 to screen 0.4431971154,0.9054347826 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.4093509615,0.9054347826 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Aether' at screen 0.4678125,0.9054347826 left front
set arrow from screen 0.3755048077,0.8380434783 to screen 0.4431971154,0.8380434783 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.4093509615,0.8380434783 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label 'Aether, learned scale' at screen 0.4678125,0.8380434783 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.129224884 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.77672275 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.559492811 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
