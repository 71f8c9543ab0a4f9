# Figure fig_language_budget, drawn by yatlab: gnuplot -c fig_language_budget.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 5.570324958 5.570324958 5.570324958
4000 1.763384896 1.763384896 1.763384896
8000 1.629291102 1.629291102 1.629291102
12000 1.556446868 1.556446868 1.556446868
16000 1.506380531 1.506380531 1.506380531
20000 1.463769445 1.463769445 1.463769445
24000 1.436538685 1.436538685 1.436538685
28000 1.41580624 1.41580624 1.41580624
32000 1.404931356 1.404931356 1.404931356
EOD
$panel0_band0 << EOD
0 NaN 5.570324958 5.570324958
3731.017116 NaN 1.90519135 1.90519135
3731.017116 NaN 1.90519135 1.90519135
4000 NaN 1.763384896 1.763384896
8000 NaN 1.629291102 1.629291102
12000 NaN 1.556446868 1.556446868
16000 NaN 1.506380531 1.506380531
20000 NaN 1.463769445 1.463769445
24000 NaN 1.436538685 1.436538685
28000 NaN 1.41580624 1.41580624
32000 NaN 1.404931356 1.404931356
EOD
$panel0_line1 << EOD
0 5.549056905 5.549056905 5.549056905
4000 1.848811765 1.848811765 1.848811765
8000 1.686570144 1.686570144 1.686570144
12000 1.606112683 1.606112683 1.606112683
16000 1.553968025 1.553968025 1.553968025
20000 1.514093286 1.514093286 1.514093286
24000 1.481225748 1.481225748 1.481225748
28000 1.455865191 1.455865191 1.455865191
32000 1.444639729 1.444639729 1.444639729
EOD
$panel0_band1 << EOD
0 NaN 5.549056905 5.549056905
3890.675204 NaN 1.90519135 1.90519135
3890.675204 NaN 1.90519135 1.90519135
4000 NaN 1.848811765 1.848811765
8000 NaN 1.686570144 1.686570144
12000 NaN 1.606112683 1.606112683
16000 NaN 1.553968025 1.553968025
20000 NaN 1.514093286 1.514093286
24000 NaN 1.481225748 1.481225748
28000 NaN 1.455865191 1.455865191
32000 NaN 1.444639729 1.444639729
EOD
$panel0_arrow0 << EOD
0 1.829041656 0 0.0672038397 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.67in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,513 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,192 background '#ffffff'
} }
set output 'fig_language_budget'.'.'.format
set multiplot

reset
set lmargin at screen 0.1620626335
set rmargin at screen 0.8543629808
set bmargin at screen 0.3127340824
set tmargin at screen 0.9700374532
set xrange [-1280:33280] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '10000' 10000, '20000' 20000, '30000' 30000)
set logscale y
set yrange [1.392096478:1.90519135] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.4' 1.4, '1.6' 1.6, '1.8' 1.8)
set label 'step' at screen 0.5082128072,0.1825842697 center front
set label 'validation loss' at screen 0.04230769231,0.6413857678 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '5.55–5.57' at first 691.2,1.862340463 left norotate front tc rgb '#000000' boxed
set label '6-gram' at screen 0.8697475962,0.3457176079 left front tc rgb '#777777'
set label '5-gram' at screen 0.8697475962,0.4844538772 left front tc rgb '#777777'
set label '4-gram' at screen 0.8697475962,0.7962256523 left front tc rgb '#777777'
set arrow from screen 0.3277026576,0.09831460674 to screen 0.3953949653,0.09831460674 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.3615488114,0.09831460674 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'GPT-2 (Pre-LN)' at screen 0.4200103499,0.09831460674 left front
set arrow from screen 0.2032869257,0.04026217228 to screen 0.2709792334,0.04026217228 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.2371330796,0.04026217228 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=12 ⵟ} attention, {/:Normal=12 ⵟ} layer (Aether)' at screen 0.2955946181,0.04026217228 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     1.753495667 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.511017636 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.414188611 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle
unset multiplot
unset output
