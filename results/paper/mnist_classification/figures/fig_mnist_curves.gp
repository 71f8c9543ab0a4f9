# Figure fig_mnist_curves, drawn by yatlab: gnuplot -c fig_mnist_curves.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0.10207 0.06764826752 0.1364917325
938 0.90367 0.901343319 0.905996681
1876 0.9147 0.9139651531 0.9154348469
2814 0.91863 0.9172999624 0.9199600376
3752 0.92041 0.9193191797 0.9215008203
4690 0.92266 0.9216971339 0.9236228661
EOD
$panel0_band0 << EOD
0 NaN 0.06764826752 0.1364917325
902.778646 NaN 0.8700385551 0.8771022181
910.7260554 NaN 0.8771022181 0.8836220165
938 NaN 0.901343319 0.905996681
1876 NaN 0.9139651531 0.9154348469
2814 NaN 0.9172999624 0.9199600376
3752 NaN 0.9193191797 0.9215008203
4690 NaN 0.9216971339 0.9236228661
EOD
$panel0_line1 << EOD
0 0.1016 0.0684384426 0.1347615574
938 0.89713 0.8943311709 0.8999288291
1876 0.91186 0.9098682392 0.9138517608
2814 0.91701 0.9153100327 0.9187099673
3752 0.91821 0.9160926379 0.9203273621
4690 0.92121 0.9199857542 0.9224342458
EOD
$panel0_band1 << EOD
0 NaN 0.0684384426 0.1347615574
910.0174112 NaN 0.8696929869 0.8771022181
918.4323768 NaN 0.8771022181 0.8839666704
938 NaN 0.8943311709 0.8999288291
1876 NaN 0.9098682392 0.9138517608
2814 NaN 0.9153100327 0.9187099673
3752 NaN 0.9160926379 0.9203273621
4690 NaN 0.9199857542 0.9224342458
EOD
$panel0_line2 << EOD
0 0.10436 0.07371971425 0.1350002858
938 0.8725 0.8707024708 0.8742975292
1876 0.88883 0.8878377523 0.8898222477
2814 0.89439 0.8934644971 0.8953155029
3752 0.89699 0.8961317719 0.8978482281
4690 0.90066 0.8996959806 0.9016240194
EOD
$panel0_band2 << EOD
0 NaN 0.07371971425 0.1350002858
938 NaN 0.8707024708 0.8742975292
1107.458675 NaN 0.8737981234 0.8771022181
1288.327655 NaN 0.8771022181 0.8800957576
1876 NaN 0.8878377523 0.8898222477
2814 NaN 0.8934644971 0.8953155029
3752 NaN 0.8961317719 0.8978482281
4690 NaN 0.8996959806 0.9016240194
EOD
$panel0_line3 << EOD
0 0.10153 0.08544542837 0.1176145716
938 0.90017 0.8971386637 0.9032013363
1876 0.9116 0.909086039 0.914113961
2814 0.91637 0.9138679786 0.9188720214
3752 0.91745 0.9161467988 0.9187532012
4690 0.91921 0.9170722702 0.9213477298
EOD
$panel0_band3 << EOD
0 NaN 0.08544542837 0.1176145716
906.8373405 NaN 0.8701722245 0.8771022181
914.8457034 NaN 0.8771022181 0.8838093225
938 NaN 0.8971386637 0.9032013363
1876 NaN 0.909086039 0.914113961
2814 NaN 0.9138679786 0.9188720214
3752 NaN 0.9161467988 0.9187532012
4690 NaN 0.9170722702 0.9213477298
EOD
$panel0_arrow0 << EOD
0 0.883335985 0 -0.00551448604 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.67in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,513 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,192 background '#ffffff'
} }
set output 'fig_mnist_curves'.'.'.format
set multiplot

reset
set lmargin at screen 0.1945479434
set rmargin at screen 0.9692307692
set bmargin at screen 0.3127340824
set tmargin at screen 0.9700374532
set xrange [-187.6:4877.6] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2000' 2000, '4000' 4000)
set yrange [0.8771022181:0.9250542706] noextend
set ytics out nomirror scale 0.5,0 norotate ('88 %%' 0.88, '89 %%' 0.89, '90 %%' 0.9, '91 %%' 0.91, '92 %%' 0.92)
set label 'step' at screen 0.5818893563,0.1825842697 center front
set label 'test accuracy' at screen 0.04230769231,0.6413857678 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set arrow from screen 0.1767127404,0.09831460674 to screen 0.2444050481,0.09831460674 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label '' at screen 0.2105588942,0.09831460674 point pt 7 ps 0.45 lc rgb '#0072b2' front
set label 'Linear' at screen 0.2690204327,0.09831460674 left front
set arrow from screen 0.4368122329,0.09831460674 to screen 0.5045045406,0.09831460674 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label '' at screen 0.4706583868,0.09831460674 point pt 5 ps 0.45 lc rgb '#d55e00' front
set label '{/:Normal=9.6 ⵟ}' at screen 0.5291199252,0.09831460674 left front
set arrow from screen 0.6161792201,0.09831460674 to screen 0.6838715278,0.09831460674 nohead lc rgb '#009e73' lw 1.1 dt 1 front
set label '' at screen 0.6500253739,0.09831460674 point pt 9 ps 0.45 lc rgb '#009e73' front
set label 'Cosine' at screen 0.7084869124,0.09831460674 left front
set arrow from screen 0.3706380208,0.04026217228 to screen 0.4383303285,0.04026217228 nohead lc rgb '#cc79a7' lw 1.101 dt 1 front
set label '' at screen 0.4044841747,0.04026217228 point pt 11 ps 0.45 lc rgb '#cc79a7' front
set label 'Euclidean' at screen 0.4629457131,0.04026217228 left front
plot $panel0_band0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#009e73' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#cc79a7' fs transparent solid 0.18 noborder notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with linespoints lc rgb '#0072b2' lw 1.1 dt 1 pt 7 ps 0.45 notitle, \
     $panel0_line1 using 1:2 with linespoints lc rgb '#d55e00' lw 1.1 dt 1 pt 5 ps 0.45 notitle, \
     $panel0_line2 using 1:2 with linespoints lc rgb '#009e73' lw 1.1 dt 1 pt 9 ps 0.45 notitle, \
     $panel0_line3 using 1:2 with linespoints lc rgb '#cc79a7' lw 1.1 dt 1 pt 11 ps 0.45 notitle
unset multiplot
unset output
