# Figure fig_reliability_scaled, drawn by yatlab: gnuplot -c fig_reliability_scaled.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0 NaN NaN
1 1 NaN NaN
EOD
$panel0_line1 << EOD
0.2382812419 0.4791666667 0.3333333333 0.6129215543
0.3021904642 0.5555555556 0.4660903739 0.6440677966
0.3691473656 0.4725738397 0.4094308524 0.5358494547
0.4357334743 0.4941520468 0.4409502525 0.5443434124
0.5009606086 0.5714285714 0.5327849701 0.6099329519
0.5658493254 0.5709281961 0.5306414548 0.6099453725
0.6316018261 0.652014652 0.6115306653 0.6884064731
0.7008413299 0.7257525084 0.6871857388 0.7602612083
0.7672269816 0.789017341 0.7621058965 0.8203257992
0.8330944748 0.858490566 0.8317490071 0.8826853698
0.9020437712 0.8944911298 0.8772052993 0.9121294021
0.9861812697 0.97632469 0.9718003758 0.9806151465
EOD
$panel0_line2 << EOD
0.3054150288 0.325 0.1730603448 0.4761904762
0.3705087496 0.3109243697 0.2307522124 0.3931818182
0.4375514503 0.4618834081 0.3964717108 0.5223230943
0.5029670547 0.5207823961 0.4740504268 0.5696225353
0.5651133441 0.5669642857 0.5246528121 0.615212528
0.6343611318 0.6293103448 0.5857879925 0.6749138432
0.7005131181 0.6929292929 0.6519860511 0.7333406114
0.7682039791 0.7881040892 0.7505026259 0.8224387791
0.834936599 0.8461538462 0.8181818182 0.8708756034
0.9028322201 0.9153846154 0.8972870138 0.9332633656
0.987467923 0.985922928 0.9828278345 0.988796331
EOD
$panel1_line0 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0.0018 NaN NaN
0.2 0.0018 NaN NaN
0.2 0.0048 NaN NaN
0.2666666667 0.0048 NaN NaN
0.2666666667 0.0126 NaN NaN
0.3333333333 0.0126 NaN NaN
0.3333333333 0.0237 NaN NaN
0.4 0.0237 NaN NaN
0.4 0.0342 NaN NaN
0.4666666667 0.0342 NaN NaN
0.4666666667 0.0574 NaN NaN
0.5333333333 0.0574 NaN NaN
0.5333333333 0.0571 NaN NaN
0.6 0.0571 NaN NaN
0.6 0.0546 NaN NaN
0.6666666667 0.0546 NaN NaN
0.6666666667 0.0598 NaN NaN
0.7333333333 0.0598 NaN NaN
0.7333333333 0.0692 NaN NaN
0.8 0.0692 NaN NaN
0.8 0.0742 NaN NaN
0.8666666667 0.0742 NaN NaN
0.8666666667 0.1071 NaN NaN
0.9333333333 0.1071 NaN NaN
0.9333333333 0.4435 NaN NaN
1 0.4435 NaN NaN
EOD
$panel1_line1 << EOD
0 0 NaN NaN
0.06666666667 0 NaN NaN
0.06666666667 0 NaN NaN
0.1333333333 0 NaN NaN
0.1333333333 0 NaN NaN
0.2 0 NaN NaN
0.2 0.0008 NaN NaN
0.2666666667 0.0008 NaN NaN
0.2666666667 0.004 NaN NaN
0.3333333333 0.004 NaN NaN
0.3333333333 0.0119 NaN NaN
0.4 0.0119 NaN NaN
0.4 0.0223 NaN NaN
0.4666666667 0.0223 NaN NaN
0.4666666667 0.0409 NaN NaN
0.5333333333 0.0409 NaN NaN
0.5333333333 0.0448 NaN NaN
0.6 0.0448 NaN NaN
0.6 0.0464 NaN NaN
0.6666666667 0.0464 NaN NaN
0.6666666667 0.0495 NaN NaN
0.7333333333 0.0495 NaN NaN
0.7333333333 0.0538 NaN NaN
0.8 0.0538 NaN NaN
0.8 0.0663 NaN NaN
0.8666666667 0.0663 NaN NaN
0.8666666667 0.091 NaN NaN
0.9333333333 0.091 NaN NaN
0.9333333333 0.5683 NaN NaN
1 0.5683 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 3.25in,4.06in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 624,780 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 234,292 background '#ffffff'
} }
set output 'fig_reliability_scaled'.'.'.format
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
set yrange [0:0.591032] noextend
set ytics out nomirror scale 0.5,0 norotate ('0 %%' 0, '20 %%' 0.2, '40 %%' 0.4)
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
