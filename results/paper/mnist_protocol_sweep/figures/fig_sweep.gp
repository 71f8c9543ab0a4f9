# Figure fig_sweep, drawn by yatlab: gnuplot -c fig_sweep.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_line0 << EOD
0 0 NaN NaN
0 1 NaN NaN
EOD
$panel0_line1 << EOD
1.495379774 0 NaN NaN
1.495379774 1 NaN NaN
EOD
$panel0_line2 << EOD
2.635313223 0 NaN NaN
2.635313223 1 NaN NaN
EOD
$panel0_line3 << EOD
3.775246672 0 NaN NaN
3.775246672 1 NaN NaN
EOD
$panel0_line4 << EOD
4.915180122 0 NaN NaN
4.915180122 1 NaN NaN
EOD
$panel0_line5 << EOD
0 1 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0 NaN NaN
EOD
$panel0_line6 << EOD
0 1 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.002243829469 NaN NaN
EOD
$panel0_line7 << EOD
0 0.6666666667 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.4816753927 NaN NaN
EOD
$panel0_line8 << EOD
0 0.6666666667 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.4816753927 NaN NaN
EOD
$panel0_line9 << EOD
0 0.3333333333 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5295437547 NaN NaN
EOD
$panel0_line10 << EOD
0 0.3333333333 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5295437547 NaN NaN
EOD
$panel0_line11 << EOD
0 1 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.531039641 NaN NaN
EOD
$panel0_line12 << EOD
0 1 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5325355273 NaN NaN
EOD
$panel0_line13 << EOD
0 0 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5325355273 NaN NaN
EOD
$panel0_line14 << EOD
0 0 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5332834705 NaN NaN
EOD
$panel0_line15 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5362752431 NaN NaN
EOD
$panel0_line16 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5377711294 NaN NaN
EOD
$panel0_line17 << EOD
0 1 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5998504114 NaN NaN
EOD
$panel0_line18 << EOD
0 1 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.5998504114 NaN NaN
EOD
$panel0_line19 << EOD
0 1 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.6118175019 NaN NaN
EOD
$panel0_line20 << EOD
0 0 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6140613313 NaN NaN
EOD
$panel0_line21 << EOD
0 0 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6148092745 NaN NaN
EOD
$panel0_line22 << EOD
0 1 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6297681376 NaN NaN
EOD
$panel0_line23 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6297681376 NaN NaN
EOD
$panel0_line24 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6297681376 NaN NaN
EOD
$panel0_line25 << EOD
0 1 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6312640239 NaN NaN
EOD
$panel0_line26 << EOD
0 1 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.6424831713 NaN NaN
EOD
$panel0_line27 << EOD
0 0.6666666667 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.6499626028 NaN NaN
EOD
$panel0_line28 << EOD
0 0 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.650710546 NaN NaN
EOD
$panel0_line29 << EOD
0 0.6666666667 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.650710546 NaN NaN
EOD
$panel0_line30 << EOD
0 0 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6522064323 NaN NaN
EOD
$panel0_line31 << EOD
0 0.6666666667 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6522064323 NaN NaN
EOD
$panel0_line32 << EOD
0 0.6666666667 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.6544502618 NaN NaN
EOD
$panel0_line33 << EOD
0 0.3333333333 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6544502618 NaN NaN
EOD
$panel0_line34 << EOD
0 0.3333333333 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6551982049 NaN NaN
EOD
$panel0_line35 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6783844428 NaN NaN
EOD
$panel0_line36 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.6806282723 NaN NaN
EOD
$panel0_line37 << EOD
0 0 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.7053103964 NaN NaN
EOD
$panel0_line38 << EOD
0 0 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.7060583396 NaN NaN
EOD
$panel0_line39 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.708302169 NaN NaN
EOD
$panel0_line40 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 1 NaN NaN
4.915180122 0.7090501122 NaN NaN
EOD
$panel0_line41 << EOD
0 0.3333333333 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.7546746447 NaN NaN
EOD
$panel0_line42 << EOD
0 0 NaN NaN
1.495379774 1 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.7569184742 NaN NaN
EOD
$panel0_line43 << EOD
0 0 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.76065819 NaN NaN
EOD
$panel0_line44 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.7651458489 NaN NaN
EOD
$panel0_line45 << EOD
0 0.3333333333 NaN NaN
1.495379774 1 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.7666417352 NaN NaN
EOD
$panel0_line46 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.7741211668 NaN NaN
EOD
$panel0_line47 << EOD
0 1 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8212415856 NaN NaN
EOD
$panel0_line48 << EOD
0 1 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8511593119 NaN NaN
EOD
$panel0_line49 << EOD
0 1 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.856394914 NaN NaN
EOD
$panel0_line50 << EOD
0 1 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8593866866 NaN NaN
EOD
$panel0_line51 << EOD
0 0 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8593866866 NaN NaN
EOD
$panel0_line52 << EOD
0 0 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8623784592 NaN NaN
EOD
$panel0_line53 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8623784592 NaN NaN
EOD
$panel0_line54 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.6666666667 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8638743455 NaN NaN
EOD
$panel0_line55 << EOD
0 1 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8855646971 NaN NaN
EOD
$panel0_line56 << EOD
0 1 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.890052356 NaN NaN
EOD
$panel0_line57 << EOD
0 0 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.8908002992 NaN NaN
EOD
$panel0_line58 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9117427076 NaN NaN
EOD
$panel0_line59 << EOD
0 0 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.913986537 NaN NaN
EOD
$panel0_line60 << EOD
0 0.3333333333 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9296933433 NaN NaN
EOD
$panel0_line61 << EOD
0 0.6666666667 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9513836948 NaN NaN
EOD
$panel0_line62 << EOD
0 0.6666666667 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9678384443 NaN NaN
EOD
$panel0_line63 << EOD
0 0 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9783096485 NaN NaN
EOD
$panel0_line64 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9820493642 NaN NaN
EOD
$panel0_line65 << EOD
0 0.3333333333 NaN NaN
1.495379774 0 NaN NaN
2.635313223 1 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9842931937 NaN NaN
EOD
$panel0_line66 << EOD
0 0 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9880329095 NaN NaN
EOD
$panel0_line67 << EOD
0 0.3333333333 NaN NaN
1.495379774 0 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 0.9895287958 NaN NaN
EOD
$panel0_line68 << EOD
0 0.6666666667 NaN NaN
1.495379774 0.3333333333 NaN NaN
2.635313223 0 NaN NaN
3.775246672 0 NaN NaN
4.915180122 1 NaN NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,2.6in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,499 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,187 background '#ffffff'
} }
set output 'fig_sweep'.'.'.format
set multiplot

reset
set lmargin at screen 0.005925925926
set rmargin at screen 0.9851851852
set bmargin at screen 0.1115384615
set tmargin at screen 0.9692307692
set xrange [-1.175835503:5.474164497] noextend
set xtics out nomirror scale 0.5,0 norotate ('arm' 0, 'init' 1.495379774, 'bias' 2.635313223, 'pixels' 3.775246672, 'test accuracy' 4.915180122)
set yrange [-0.13:1.1] noextend
unset ytics
set border 1 lw 0.6 lc rgb '#333333'
unset colorbox
unset key
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'Linear' at first -0.06,1.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '{/:Normal=9.6 ⵟ}, (n/log(1+n))\^α' at first -0.06,0.7116666667 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '{/:Normal=9.6 ⵟ}, α' at first -0.06,0.3783333333 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '{/:Normal=9.6 ⵟ}, (√n/log(1+n))\^α' at first -0.06,0.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'normal (std 0.3)' at first 1.435379774,1.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'uniform (low 0, high 0.5)' at first 1.435379774,0.7116666667 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'xavier\_normal' at first 1.435379774,0.3783333333 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'uniform (low 0, high 0.2)' at first 1.435379774,0.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'false' at first 2.575313223,1.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'true' at first 2.575313223,0.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'symmetric' at first 3.715246672,1.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label 'unit' at first 3.715246672,0.045 right norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '90.09 %' at first 4.975180122,0.045 left norotate front tc rgb '#333333' boxed
set style textbox opaque noborder margins 0.3,0.3 fillcolor rgb '#30ffffff'
set label '92.76 %' at first 4.975180122,1.045 left norotate front tc rgb '#333333' boxed
plot $panel0_line0 using 1:2 with lines lc rgb '#888888' lw 0.6 dt 1  notitle, \
     $panel0_line1 using 1:2 with lines lc rgb '#888888' lw 0.6 dt 1  notitle, \
     $panel0_line2 using 1:2 with lines lc rgb '#888888' lw 0.6 dt 1  notitle, \
     $panel0_line3 using 1:2 with lines lc rgb '#888888' lw 0.6 dt 1  notitle, \
     $panel0_line4 using 1:2 with lines lc rgb '#888888' lw 0.6 dt 1  notitle, \
     $panel0_line5 using 1:2 with lines lc rgb '#fff2d9' lw 0.8 dt 1  notitle, \
     $panel0_line6 using 1:2 with lines lc rgb '#fff2d9' lw 0.8 dt 1  notitle, \
     $panel0_line7 using 1:2 with lines lc rgb '#fff2d9' lw 0.8 dt 1  notitle, \
     $panel0_line8 using 1:2 with lines lc rgb '#fff2d8' lw 0.8 dt 1  notitle, \
     $panel0_line9 using 1:2 with lines lc rgb '#fff1d8' lw 0.8 dt 1  notitle, \
     $panel0_line10 using 1:2 with lines lc rgb '#fff1d7' lw 0.8 dt 1  notitle, \
     $panel0_line11 using 1:2 with lines lc rgb '#fff1d7' lw 0.8 dt 1  notitle, \
     $panel0_line12 using 1:2 with lines lc rgb '#fff0d6' lw 0.8 dt 1  notitle, \
     $panel0_line13 using 1:2 with lines lc rgb '#fff0d5' lw 0.8 dt 1  notitle, \
     $panel0_line14 using 1:2 with lines lc rgb '#ffefd4' lw 0.8 dt 1  notitle, \
     $panel0_line15 using 1:2 with lines lc rgb '#ffefd3' lw 0.8 dt 1  notitle, \
     $panel0_line16 using 1:2 with lines lc rgb '#ffeed1' lw 0.8 dt 1  notitle, \
     $panel0_line17 using 1:2 with lines lc rgb '#ffedd0' lw 0.8 dt 1  notitle, \
     $panel0_line18 using 1:2 with lines lc rgb '#ffedce' lw 0.8 dt 1  notitle, \
     $panel0_line19 using 1:2 with lines lc rgb '#ffeccd' lw 0.8 dt 1  notitle, \
     $panel0_line20 using 1:2 with lines lc rgb '#ffebcb' lw 0.8 dt 1  notitle, \
     $panel0_line21 using 1:2 with lines lc rgb '#feeac9' lw 0.8 dt 1  notitle, \
     $panel0_line22 using 1:2 with lines lc rgb '#fee9c7' lw 0.8 dt 1  notitle, \
     $panel0_line23 using 1:2 with lines lc rgb '#fee8c5' lw 0.8 dt 1  notitle, \
     $panel0_line24 using 1:2 with lines lc rgb '#fee6c2' lw 0.8 dt 1  notitle, \
     $panel0_line25 using 1:2 with lines lc rgb '#fee5c0' lw 0.8 dt 1  notitle, \
     $panel0_line26 using 1:2 with lines lc rgb '#fee4bd' lw 0.8 dt 1  notitle, \
     $panel0_line27 using 1:2 with lines lc rgb '#fee2ba' lw 0.8 dt 1  notitle, \
     $panel0_line28 using 1:2 with lines lc rgb '#fee1b8' lw 0.8 dt 1  notitle, \
     $panel0_line29 using 1:2 with lines lc rgb '#fedfb5' lw 0.8 dt 1  notitle, \
     $panel0_line30 using 1:2 with lines lc rgb '#fedeb2' lw 0.8 dt 1  notitle, \
     $panel0_line31 using 1:2 with lines lc rgb '#fedcae' lw 0.8 dt 1  notitle, \
     $panel0_line32 using 1:2 with lines lc rgb '#fddbab' lw 0.8 dt 1  notitle, \
     $panel0_line33 using 1:2 with lines lc rgb '#fdd9a7' lw 0.8 dt 1  notitle, \
     $panel0_line34 using 1:2 with lines lc rgb '#fdd7a4' lw 0.8 dt 1  notitle, \
     $panel0_line35 using 1:2 with lines lc rgb '#fdd5a0' lw 0.8 dt 1  notitle, \
     $panel0_line36 using 1:2 with lines lc rgb '#fdd29c' lw 0.8 dt 1  notitle, \
     $panel0_line37 using 1:2 with lines lc rgb '#fdce98' lw 0.8 dt 1  notitle, \
     $panel0_line38 using 1:2 with lines lc rgb '#fdca93' lw 0.8 dt 1  notitle, \
     $panel0_line39 using 1:2 with lines lc rgb '#fdc68e' lw 0.8 dt 1  notitle, \
     $panel0_line40 using 1:2 with lines lc rgb '#fdc289' lw 0.8 dt 1  notitle, \
     $panel0_line41 using 1:2 with lines lc rgb '#fdbe84' lw 0.8 dt 1  notitle, \
     $panel0_line42 using 1:2 with lines lc rgb '#fdb97f' lw 0.8 dt 1  notitle, \
     $panel0_line43 using 1:2 with lines lc rgb '#fcb479' lw 0.8 dt 1  notitle, \
     $panel0_line44 using 1:2 with lines lc rgb '#fcb074' lw 0.8 dt 1  notitle, \
     $panel0_line45 using 1:2 with lines lc rgb '#fcab6e' lw 0.8 dt 1  notitle, \
     $panel0_line46 using 1:2 with lines lc rgb '#fca668' lw 0.8 dt 1  notitle, \
     $panel0_line47 using 1:2 with lines lc rgb '#fca062' lw 0.8 dt 1  notitle, \
     $panel0_line48 using 1:2 with lines lc rgb '#fc9b5c' lw 0.8 dt 1  notitle, \
     $panel0_line49 using 1:2 with lines lc rgb '#fa9559' lw 0.8 dt 1  notitle, \
     $panel0_line50 using 1:2 with lines lc rgb '#f78e56' lw 0.8 dt 1  notitle, \
     $panel0_line51 using 1:2 with lines lc rgb '#f58753' lw 0.8 dt 1  notitle, \
     $panel0_line52 using 1:2 with lines lc rgb '#f28050' lw 0.8 dt 1  notitle, \
     $panel0_line53 using 1:2 with lines lc rgb '#ef794d' lw 0.8 dt 1  notitle, \
     $panel0_line54 using 1:2 with lines lc rgb '#ec714a' lw 0.8 dt 1  notitle, \
     $panel0_line55 using 1:2 with lines lc rgb '#e96a47' lw 0.8 dt 1  notitle, \
     $panel0_line56 using 1:2 with lines lc rgb '#e66243' lw 0.8 dt 1  notitle, \
     $panel0_line57 using 1:2 with lines lc rgb '#e35a40' lw 0.8 dt 1  notitle, \
     $panel0_line58 using 1:2 with lines lc rgb '#df523d' lw 0.8 dt 1  notitle, \
     $panel0_line59 using 1:2 with lines lc rgb '#d74a38' lw 0.8 dt 1  notitle, \
     $panel0_line60 using 1:2 with lines lc rgb '#ce4132' lw 0.8 dt 1  notitle, \
     $panel0_line61 using 1:2 with lines lc rgb '#c5392d' lw 0.8 dt 1  notitle, \
     $panel0_line62 using 1:2 with lines lc rgb '#bc3028' lw 0.8 dt 1  notitle, \
     $panel0_line63 using 1:2 with lines lc rgb '#b32723' lw 0.8 dt 1  notitle, \
     $panel0_line64 using 1:2 with lines lc rgb '#aa1e1d' lw 0.8 dt 1  notitle, \
     $panel0_line65 using 1:2 with lines lc rgb '#9b1616' lw 0.8 dt 1  notitle, \
     $panel0_line66 using 1:2 with lines lc rgb '#8b0f0f' lw 0.8 dt 1  notitle, \
     $panel0_line67 using 1:2 with lines lc rgb '#7b0707' lw 0.8 dt 1  notitle, \
     $panel0_line68 using 1:2 with lines lc rgb '#6b0000' lw 1.8 dt 1  notitle
unset multiplot
unset output
