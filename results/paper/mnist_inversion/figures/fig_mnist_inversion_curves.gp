# Figure fig_mnist_inversion_curves, drawn by yatlab: gnuplot -c fig_mnist_inversion_curves.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0.11478 0.07895023584 0.1506097642
938 0.90332 0.9005036193 0.9061363807
1876 0.91488 0.9140391671 0.9157208329
2814 0.91906 0.9175457345 0.9205742655
3752 0.92076 0.9201057829 0.9214142171
4690 0.92282 0.9216550966 0.9239849034
EOD
$panel0_line1 << EOD
0 0.11412 0.08087677513 0.1473632249
938 0.89702 0.8937570259 0.9002829741
1876 0.91254 0.909852436 0.915227564
2814 0.9167 0.9143924038 0.9190075962
3752 0.91852 0.9166701351 0.9203698649
4690 0.92156 0.9198857838 0.9232342162
EOD
$panel1_line0 << EOD
938 0.6272386903 0.6017814307 0.6526959498
1876 0.340940886 0.3384569758 0.3434247961
2814 0.3076453181 0.3062683696 0.3090222666
3752 0.2922705886 0.2914054307 0.2931357466
4690 0.2830141064 0.2822821588 0.2837460539
EOD
$panel1_line1 << EOD
938 0.7298172801 0.6761243393 0.7835102209
1876 0.360229865 0.3562483401 0.36421139
2814 0.3223773716 0.3200305494 0.3247241938
3752 0.3034227521 0.3019020765 0.3049434277
4690 0.2917778437 0.290463025 0.2930926625
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,166 background '#ffffff'
} }
set output 'fig_mnist_inversion_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.09585185185
set rmargin at screen 0.4851851852
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [-187.6:4877.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2000' 2000, '4000' 4000)
set yrange [0.04514884913:0.9577862901] noextend
set ytics out nomirror scale 0.5,0 norotate ('20 %%' 0.2, '40 %%' 0.4, '60 %%' 0.6, '80 %%' 0.8)
set label 'step' at screen 0.2905185185,0.05108695652 center front
set label 'test accuracy' at screen 0.02037037037,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
set key inside bottom right Left reverse samplen 2 spacing 1.15
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'Linear', \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'ⵟ'

reset
set lmargin at screen 0.5811851852
set rmargin at screen 0.9851851852
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [787.92:4840.08] noextend
set xtics out nomirror scale 0.5,0 norotate ('1000' 1000, '2000' 2000, '3000' 3000, '4000' 4000)
set yrange [0.2622330363:0.8035593434] noextend
set ytics out nomirror scale 0.5,0 norotate ('0.4' 0.4, '0.6' 0.6, '0.8' 0.8)
set label 'step' at screen 0.7831851852,0.05108695652 center front
set label 'train/loss' at screen 0.5203703704,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
set key inside top right Left reverse samplen 2 spacing 1.15
plot $panel1_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel1_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel1_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'Linear', \
     $panel1_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'ⵟ'
unset multiplot
unset output
