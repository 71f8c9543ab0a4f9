# Figure fig_loss_comparison, drawn by yatlab: gnuplot -c fig_loss_comparison.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
150 3.07578964 3.069960046 3.081619234
300 2.603474731 2.599697685 2.607251777
450 2.578459096 2.569590573 2.58732762
600 2.525842755 2.505055403 2.546630107
750 2.417473988 2.369153493 2.465794483
900 2.275104684 2.252709089 2.297500278
1050 2.184993667 2.176475249 2.193512084
1200 2.124583329 2.111637555 2.137529102
1350 2.075547249 2.059029679 2.092064819
1500 2.042520321 2.030428825 2.054611817
EOD
$panel0_line1 << EOD
150 3.325735176 3.316477268 3.334993085
300 2.612254975 2.608516543 2.615993407
450 2.579012252 2.568357063 2.589667442
600 2.542884521 2.533554127 2.552214915
750 2.523865648 2.513661654 2.534069642
900 2.482191467 2.452521918 2.511861017
1050 2.422051824 2.38168222 2.462421429
1200 2.369830753 2.300881991 2.438779515
1350 2.332049155 2.252986948 2.411111362
1500 2.302279166 2.224779905 2.379778426
EOD
$panel1_line0 << EOD
0 5.570678792 5.564524685 5.5768329
150 2.620919029 2.612417254 2.629420805
300 2.579211516 2.572552876 2.585870156
450 2.555982842 2.549789068 2.562176616
600 2.495997702 2.451348384 2.540647019
750 2.342120855 2.31837527 2.365866441
900 2.24200466 2.232872774 2.251136546
1050 2.170759533 2.166470485 2.175048581
1200 2.112684512 2.108210418 2.117158607
1350 2.080078699 2.072717613 2.087439785
1500 2.066293978 2.0585513 2.074036657
EOD
$panel1_line1 << EOD
0 5.548268836 5.546646207 5.549891466
150 2.648171882 2.646178321 2.650165443
300 2.587466237 2.585268457 2.589664017
450 2.554671109 2.544920394 2.564421824
600 2.541308993 2.532236176 2.55038181
750 2.515708629 2.513538944 2.517878315
900 2.459862415 2.424663243 2.495061587
1050 2.404057176 2.354287064 2.453827288
1200 2.34927016 2.281033252 2.417507068
1350 2.327705647 2.256353977 2.399057318
1500 2.306621406 2.224148067 2.389094745
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,166 background '#ffffff'
} }
set output 'fig_loss_comparison'.'.'.format
set multiplot

reset
set lmargin at screen 0.06162962963
set rmargin at screen 0.4851851852
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [96:1554] noextend
set xtics out nomirror scale 0.5,0 norotate ('500' 500, '1000' 1000, '1500' 1500)
set logscale y
set yrange [1.990524299:3.401850504] noextend
set ytics out nomirror scale 0.5,0 norotate ('2' 2)
set label 'step' at screen 0.2734074074,0.05108695652 center front
set label 'training loss' at screen 0.02037037037,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
set key inside top right Left reverse samplen 2 spacing 1.15
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'GPT-2 lr 0.003', \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'Aether lr 0.001'

reset
set lmargin at screen 0.5616296296
set rmargin at screen 0.9851851852
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [-60:1560] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '500' 500, '1000' 1000, '1500' 1500)
set logscale y
set yrange [1.978101885:5.803642726] noextend
set ytics out nomirror scale 0.5,0 norotate ('2' 2, '5' 5)
set label 'step' at screen 0.7734074074,0.05108695652 center front
set label 'validation loss' at screen 0.5203703704,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
set key inside top right Left reverse samplen 2 spacing 1.15
plot $panel1_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel1_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'GPT-2 lr 0.003', \
     $panel1_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'Aether lr 0.001'
unset multiplot
unset output
