# Figure fig_sweep, drawn by yatlab: gnuplot -c fig_sweep.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 1 1
1 1 0.999
2 1 0.9966
3 1 0.9988
4 1 0.9848
0 0 1
1 0 0.459
2 0 0.8784
3 0 0.4482
4 0 0.7676
EOD
$panel1_heat0 << EOD
0 1 1
1 1 0.999
2 1 0.999
3 1 1
4 1 0.9878
0 0 1
1 0 0.5368
2 0 0.8788
3 0 0.466
4 0 0.7662
EOD
$panel2_heat0 << EOD
0 1 0.9974
1 1 0.9986
2 1 0.9994
3 1 0.9982
4 1 0.9976
0 0 0.9922
1 0 0.982
2 0 0.9148
3 0 0.865
4 0 0.7452
EOD
$panel3_heat0 << EOD
0 1 0.996
1 1 0.999
2 1 0.8792
3 1 0.5016
4 1 0.7648
0 0 0.9964
1 0 0.394
2 0 0.868
3 0 0.4994
4 0 0.7156
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,3.86in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,741 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,278 background '#ffffff'
} }
set output 'fig_sweep'.'.'.format
set multiplot

reset
set lmargin at screen 0.06232478138
set rmargin at screen 0.4851851852
set bmargin at screen 0.6204663212
set tmargin at screen 0.9365284974
set label 'test accuracy, Linear' at screen 0.2737549833,0.9721502591 center front
set xrange [-0.5:4.5] noextend
set xtics  nomirror scale 0,0 norotate ('blobs' 0, 'xor\_clouds' 1, 'moons' 2, 'circles' 3, 'spirals' 4)
set yrange [-0.5:1.5] noextend
set ytics  nomirror scale 0,0 norotate ('1' 0, '8' 1)
set label 'data set' at screen 0.2737549833,0.5304404145 center front
set label 'per class' at screen 0.02037037037,0.7784974093 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.394:1] noextend
unset key
set label '100.00' at first 0,1.13 center front tc rgb '#000000'
set label '±0.00' at first 0,0.87 center front tc rgb '#000000'
set label '99.90' at first 1,1.13 center front tc rgb '#000000'
set label '±0.00' at first 1,0.87 center front tc rgb '#000000'
set label '99.66' at first 2,1.13 center front tc rgb '#000000'
set label '±0.27' at first 2,0.87 center front tc rgb '#000000'
set label '99.88' at first 3,1.13 center front tc rgb '#000000'
set label '±0.11' at first 3,0.87 center front tc rgb '#000000'
set label '98.48' at first 4,1.13 center front tc rgb '#000000'
set label '±0.16' at first 4,0.87 center front tc rgb '#000000'
set label '100.00' at first 0,0.13 center front tc rgb '#000000'
set label '±0.00' at first 0,-0.13 center front tc rgb '#000000'
set label '45.90' at first 1,0.13 center front tc rgb '#ffffff'
set label '±8.56' at first 1,-0.13 center front tc rgb '#ffffff'
set label '87.84' at first 2,0.13 center front tc rgb '#000000'
set label '±0.09' at first 2,-0.13 center front tc rgb '#000000'
set label '44.82' at first 3,0.13 center front tc rgb '#ffffff'
set label '±7.03' at first 3,-0.13 center front tc rgb '#ffffff'
set label '76.76' at first 4,0.13 center front tc rgb '#000000'
set label '±0.18' at first 4,-0.13 center front tc rgb '#000000'
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5623247814
set rmargin at screen 0.9851851852
set bmargin at screen 0.6204663212
set tmargin at screen 0.9365284974
set label 'test accuracy, Euclidean' at screen 0.7737549833,0.9721502591 center front
set xrange [-0.5:4.5] noextend
set xtics  nomirror scale 0,0 norotate ('blobs' 0, 'xor\_clouds' 1, 'moons' 2, 'circles' 3, 'spirals' 4)
set yrange [-0.5:1.5] noextend
set ytics  nomirror scale 0,0 norotate ('1' 0, '8' 1)
set label 'data set' at screen 0.7737549833,0.5304404145 center front
set label 'per class' at screen 0.5203703704,0.7784974093 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.394:1] noextend
unset key
set label '100.00' at first 0,1.13 center front tc rgb '#000000'
set label '±0.00' at first 0,0.87 center front tc rgb '#000000'
set label '99.90' at first 1,1.13 center front tc rgb '#000000'
set label '±0.00' at first 1,0.87 center front tc rgb '#000000'
set label '99.90' at first 2,1.13 center front tc rgb '#000000'
set label '±0.00' at first 2,0.87 center front tc rgb '#000000'
set label '100.00' at first 3,1.13 center front tc rgb '#000000'
set label '±0.00' at first 3,0.87 center front tc rgb '#000000'
set label '98.78' at first 4,1.13 center front tc rgb '#000000'
set label '±0.15' at first 4,0.87 center front tc rgb '#000000'
set label '100.00' at first 0,0.13 center front tc rgb '#000000'
set label '±0.00' at first 0,-0.13 center front tc rgb '#000000'
set label '53.68' at first 1,0.13 center front tc rgb '#ffffff'
set label '±6.90' at first 1,-0.13 center front tc rgb '#ffffff'
set label '87.88' at first 2,0.13 center front tc rgb '#000000'
set label '±0.08' at first 2,-0.13 center front tc rgb '#000000'
set label '46.60' at first 3,0.13 center front tc rgb '#ffffff'
set label '±7.78' at first 3,-0.13 center front tc rgb '#ffffff'
set label '76.62' at first 4,0.13 center front tc rgb '#000000'
set label '±0.19' at first 4,-0.13 center front tc rgb '#000000'
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.06232478138
set rmargin at screen 0.4851851852
set bmargin at screen 0.1204663212
set tmargin at screen 0.4365284974
set label 'test accuracy, {/:Normal=9.6 ⵟ}, ε = 0.1' at screen 0.2737549833,0.4721502591 center front
set xrange [-0.5:4.5] noextend
set xtics  nomirror scale 0,0 norotate ('blobs' 0, 'xor\_clouds' 1, 'moons' 2, 'circles' 3, 'spirals' 4)
set yrange [-0.5:1.5] noextend
set ytics  nomirror scale 0,0 norotate ('1' 0, '8' 1)
set label 'data set' at screen 0.2737549833,0.03044041451 center front
set label 'per class' at screen 0.02037037037,0.2784974093 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.394:1] noextend
unset key
set label '99.74' at first 0,1.13 center front tc rgb '#000000'
set label '±0.17' at first 0,0.87 center front tc rgb '#000000'
set label '99.86' at first 1,1.13 center front tc rgb '#000000'
set label '±0.09' at first 1,0.87 center front tc rgb '#000000'
set label '99.94' at first 2,1.13 center front tc rgb '#000000'
set label '±0.13' at first 2,0.87 center front tc rgb '#000000'
set label '99.82' at first 3,1.13 center front tc rgb '#000000'
set label '±0.20' at first 3,0.87 center front tc rgb '#000000'
set label '99.76' at first 4,1.13 center front tc rgb '#000000'
set label '±0.17' at first 4,0.87 center front tc rgb '#000000'
set label '99.22' at first 0,0.13 center front tc rgb '#000000'
set label '±0.52' at first 0,-0.13 center front tc rgb '#000000'
set label '98.20' at first 1,0.13 center front tc rgb '#000000'
set label '±3.63' at first 1,-0.13 center front tc rgb '#000000'
set label '91.48' at first 2,0.13 center front tc rgb '#000000'
set label '±5.03' at first 2,-0.13 center front tc rgb '#000000'
set label '86.50' at first 3,0.13 center front tc rgb '#000000'
set label '±0.58' at first 3,-0.13 center front tc rgb '#000000'
set label '74.52' at first 4,0.13 center front tc rgb '#000000'
set label '±4.71' at first 4,-0.13 center front tc rgb '#000000'
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5623247814
set rmargin at screen 0.9851851852
set bmargin at screen 0.1204663212
set tmargin at screen 0.4365284974
set label 'test accuracy, Cosine' at screen 0.7737549833,0.4721502591 center front
set xrange [-0.5:4.5] noextend
set xtics  nomirror scale 0,0 norotate ('blobs' 0, 'xor\_clouds' 1, 'moons' 2, 'circles' 3, 'spirals' 4)
set yrange [-0.5:1.5] noextend
set ytics  nomirror scale 0,0 norotate ('1' 0, '8' 1)
set label 'data set' at screen 0.7737549833,0.03044041451 center front
set label 'per class' at screen 0.5203703704,0.2784974093 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.394:1] noextend
unset key
set label '99.60' at first 0,1.13 center front tc rgb '#000000'
set label '±0.00' at first 0,0.87 center front tc rgb '#000000'
set label '99.90' at first 1,1.13 center front tc rgb '#000000'
set label '±0.00' at first 1,0.87 center front tc rgb '#000000'
set label '87.92' at first 2,1.13 center front tc rgb '#000000'
set label '±0.26' at first 2,0.87 center front tc rgb '#000000'
set label '50.16' at first 3,1.13 center front tc rgb '#ffffff'
set label '±1.02' at first 3,0.87 center front tc rgb '#ffffff'
set label '76.48' at first 4,1.13 center front tc rgb '#000000'
set label '±0.79' at first 4,0.87 center front tc rgb '#000000'
set label '99.64' at first 0,0.13 center front tc rgb '#000000'
set label '±0.09' at first 0,-0.13 center front tc rgb '#000000'
set label '39.40' at first 1,0.13 center front tc rgb '#ffffff'
set label '±10.27' at first 1,-0.13 center front tc rgb '#ffffff'
set label '86.80' at first 2,0.13 center front tc rgb '#000000'
set label '±0.81' at first 2,-0.13 center front tc rgb '#000000'
set label '49.94' at first 3,0.13 center front tc rgb '#ffffff'
set label '±0.13' at first 3,-0.13 center front tc rgb '#ffffff'
set label '71.56' at first 4,0.13 center front tc rgb '#000000'
set label '±0.25' at first 4,-0.13 center front tc rgb '#000000'
plot $panel3_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle
unset multiplot
unset output
