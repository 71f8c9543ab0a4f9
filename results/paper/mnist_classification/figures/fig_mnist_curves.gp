# Figure fig_mnist_curves, drawn by yatlab: gnuplot -c fig_mnist_curves.gp svg|pdf|png
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
$panel0_line2 << EOD
0 0.11392 0.08087099094 0.1469690091
938 0.87288 0.8705386329 0.8752213671
1876 0.88834 0.8872228608 0.8894571392
2814 0.8942 0.8937101021 0.8946898979
3752 0.89712 0.896075012 0.898164988
4690 0.90052 0.899661513 0.901378487
EOD
$panel0_line3 << EOD
0 0.10046 0.08021270388 0.1207072961
938 0.89978 0.8954733772 0.9040866228
1876 0.9129 0.9102260516 0.9155739484
2814 0.9155 0.9122681275 0.9187318725
3752 0.91762 0.9166290409 0.9186109591
4690 0.91988 0.9177312795 0.9220287205
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.3in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,442 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,166 background '#ffffff'
} }
set output 'fig_mnist_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.1990769231
set rmargin at screen 0.9692307692
set bmargin at screen 0.202173913
set tmargin at screen 0.9652173913
set xrange [-187.6:4877.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2000' 2000, '4000' 4000)
set yrange [0.04514884913:0.9577862901] noextend
set ytics out nomirror scale 0.5,0 norotate ('20 %%' 0.2, '40 %%' 0.4, '60 %%' 0.6, '80 %%' 0.8)
set label 'step' at screen 0.5841538462,0.05108695652 center front
set label 'test accuracy' at screen 0.04230769231,0.5836956522 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
set key inside bottom right Left reverse samplen 2 spacing 1.15
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_line1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_line2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     $panel0_line3 using 1:3:4 with filledcurves fc rgb '#cc79a7' fs transparent solid 0.18 noborder notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 title 'Linear', \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 title 'ⵟ', \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 title 'Cosine', \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 title 'Euclidean'
unset multiplot
unset output
