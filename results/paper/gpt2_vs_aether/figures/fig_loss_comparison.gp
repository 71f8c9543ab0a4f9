# Figure fig_loss_comparison, drawn by yatlab: gnuplot -c fig_loss_comparison.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
1000 2.557468582 2.550747198 2.564189966
2000 2.052807666 2.047043541 2.058571792
3000 1.873843174 1.869889847 1.877796501
4000 1.771132036 1.764773823 1.77749025
5000 1.694165502 1.688275013 1.700055991
6000 1.638183923 1.633694129 1.642673716
7000 1.598899784 1.594284355 1.603515213
8000 1.572941132 1.572941132 1.58010303
EOD
$panel0_line1 << EOD
1000 2.668147136 2.663941984 2.672352289
2000 2.382396443 2.321906944 2.442885942
3000 2.035882016 1.990530563 2.081233468
4000 1.883309614 1.843109659 1.92350957
5000 1.782515026 1.744525926 1.820504126
6000 1.713265849 1.675493315 1.751038384
7000 1.664597844 1.626695253 1.702500434
8000 1.63370008 1.59416537 1.673234789
EOD
$panel0_band1 << EOD
1000 NaN 2.663941984 2.672352289
1234.396739 NaN 2.579502637 2.61670316
1393.883783 NaN 2.523584185 2.579502637
2000 NaN 2.321906944 2.442885942
3000 NaN 1.990530563 2.081233468
4000 NaN 1.843109659 1.92350957
5000 NaN 1.744525926 1.820504126
6000 NaN 1.675493315 1.751038384
7000 NaN 1.626695253 1.702500434
8000 NaN 1.59416537 1.673234789
EOD
$panel0_line2 << EOD
0 5.565082607 5.554775703 5.57538951
1000 2.202465982 2.188869025 2.216062939
2000 1.950250703 1.942516294 1.957985113
3000 1.828486873 1.821489272 1.835484474
4000 1.744553894 1.738293436 1.750814352
5000 1.681178897 1.676407446 1.685950348
6000 1.634468449 1.630386381 1.638550517
7000 1.601045854 1.596315215 1.605776493
8000 1.584868926 1.580724153 1.589013699
EOD
$panel0_band2 << EOD
0 NaN 5.554775703 5.57538951
823.6697403 NaN 2.579502637 2.607572626
835.4005054 NaN 2.551476111 2.579502637
1000 NaN 2.188869025 2.216062939
2000 NaN 1.942516294 1.957985113
3000 NaN 1.821489272 1.835484474
4000 NaN 1.738293436 1.750814352
5000 NaN 1.676407446 1.685950348
6000 NaN 1.630386381 1.638550517
7000 NaN 1.596315215 1.605776493
8000 NaN 1.580724153 1.589013699
EOD
$panel0_line3 << EOD
0 5.548734148 5.547456064 5.550012232
1000 2.533823773 2.526403129 2.541244417
2000 2.161623195 2.102918507 2.220327883
3000 1.954683268 1.921715397 1.987651139
4000 1.837992199 1.800261324 1.875723075
5000 1.757869562 1.723796619 1.791942504
6000 1.701667172 1.663481878 1.739852465
7000 1.661199556 1.623264689 1.699134422
8000 1.640463587 1.604638776 1.676288398
EOD
$panel0_band3 << EOD
0 NaN 5.547456064 5.550012232
973.5551583 NaN 2.579502637 2.594285594
980.8707841 NaN 2.564702663 2.579502637
1000 NaN 2.526403129 2.541244417
2000 NaN 2.102918507 2.220327883
3000 NaN 1.921715397 1.987651139
4000 NaN 1.800261324 1.875723075
5000 NaN 1.723796619 1.791942504
6000 NaN 1.663481878 1.739852465
7000 NaN 1.623264689 1.699134422
8000 NaN 1.604638776 1.676288398
EOD
$panel0_line4 << EOD
EOD
$panel0_line5 << EOD
EOD
$panel0_arrow0 << EOD
0 2.390196577 0 0.1407775064 0x000000
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,2.97in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,570 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,214 background '#ffffff'
} }
set output 'fig_loss_comparison'.'.'.format
set multiplot

reset
set lmargin at screen 0.1620626335
set rmargin at screen 0.8514917201
set bmargin at screen 0.2811447811
set tmargin at screen 0.9730639731
set xrange [-320:8320] noextend
set xtics out nomirror scale 0.5,0 norotate ('0' 0, '2500' 2500, '5000' 5000, '7500' 7500)
set logscale y
set yrange [1.46405553:2.579502637] noextend
set ytics out nomirror scale 0.5,0 norotate ('1.5' 1.5, '2.0' 2, '2.5' 2.5)
set label 'step' at screen 0.5067771768,0.1641414141 center front
set label 'loss (nats per token)' at screen 0.04230769231,0.6271043771 center rotate by 90 front
set border 3 lw 0.6 lc rgb '#333333'
set grid ytics lt 1 lw 0.4 lc rgb '#dddddd'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '2.56–5.57' at first 172.8,2.459578336 left norotate front tc rgb '#000000' boxed
set label '6-gram' at screen 0.8668763355,0.3054622386 left front tc rgb '#777777'
set label '5-gram' at screen 0.8668763355,0.3580623946 left front tc rgb '#777777'
set label '4-gram' at screen 0.8668763355,0.5175806206 left front tc rgb '#777777'
set label 'trigram' at screen 0.8668763355,0.7386418343 left front tc rgb '#777777'
set label 'bigram' at screen 0.8668763355,0.9487465156 left front tc rgb '#777777'
set arrow from screen 0.08699252137,0.08838383838 to screen 0.1546848291,0.08838383838 nohead lc rgb '#0072b2' lw 1.1 dt 1 front
set label 'GPT-2' at screen 0.1793002137,0.08838383838 left front
set arrow from screen 0.3429186699,0.08838383838 to screen 0.4106109776,0.08838383838 nohead lc rgb '#d55e00' lw 1.101 dt 1 front
set label 'Aether' at screen 0.4352263622,0.08838383838 left front
set arrow from screen 0.6113481571,0.08838383838 to screen 0.6790404647,0.08838383838 nohead lc rgb '#444444' lw 1.1 dt 1 front
set label 'training loss' at screen 0.7036558494,0.08838383838 left front
set arrow from screen 0.3312333066,0.0361952862 to screen 0.3989256143,0.0361952862 nohead lc rgb '#444444' lw 1.101 dt 2 front
set label 'validation loss' at screen 0.4235409989,0.0361952862 left front
plot $panel0_line0 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band1 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     $panel0_band2 using 1:3:4 with filledcurves fc rgb '#0072b2' fs transparent solid 0.18 noborder notitle, \
     $panel0_band3 using 1:3:4 with filledcurves fc rgb '#d55e00' fs transparent solid 0.18 noborder notitle, \
     2.528663732 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     2.129112035 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.776686836 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.559200226 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     1.493490437 with lines lc rgb '#777777' lw 0.9 dt 3 notitle, \
     $panel0_arrow0 using 1:2:3:4:5 with vectors head filled size screen 0.009846153846,25,90 lw 0.7 lc rgb variable notitle, \
     $panel0_line0 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 1  notitle, \
     $panel0_line1 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 1  notitle, \
     $panel0_line2 using 1:2 with lines lc rgb '#0072b2' lw 1.1 dt 2  notitle, \
     $panel0_line3 using 1:2 with lines lc rgb '#d55e00' lw 1.1 dt 2  notitle, \
     $panel0_line4 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 1  notitle, \
     $panel0_line5 using 1:2 with lines lc rgb '#444444' lw 1.1 dt 2  notitle
unset multiplot
unset output
