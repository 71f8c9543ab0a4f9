# Figure fig_mnist_epsilon_alpha, drawn by yatlab: gnuplot -c fig_mnist_epsilon_alpha.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 3 0.9083666667
1 3 0.9083666667
2 3 0.9083666667
3 3 0.9083666667
4 3 0.9083333333
5 3 0.9143333333
0 2 0.9174666667
1 2 0.9174666667
2 2 0.9174666667
3 2 0.9176
4 2 0.9186333333
5 2 0.9182
0 1 0.9203333333
1 1 0.9203333333
2 1 0.9203333333
3 1 0.9203333333
4 1 0.9206
5 1 0.9207666667
0 0 0.9216666667
1 0 0.9216666667
2 0 0.9216333333
3 0 0.9215333333
4 0 0.9215666667
5 0 0.9217
EOD
$panel1_heat0 << EOD
0 3 0.9035
1 3 0.9035
2 3 0.9035
3 3 0.9035
4 3 0.9037333333
5 3 0.9105
0 2 0.9127666667
1 2 0.9127666667
2 2 0.9129333333
3 2 0.9133333333
4 2 0.9153666667
5 2 0.918
0 1 0.9207666667
1 1 0.9207666667
2 1 0.9208333333
3 1 0.9208
4 1 0.9212333333
5 1 0.9208
0 0 0.9206
1 0 0.9206
2 0 0.9206333333
3 0 0.9206333333
4 0 0.9204
5 0 0.9185333333
EOD
$panel2_heat0 << EOD
0 3 0.8885
1 3 0.8885
2 3 0.8885
3 3 0.8885333333
4 3 0.8878666667
5 3 0.8947
0 2 0.8475
1 2 0.8475
2 2 0.8476333333
3 2 0.8480666667
4 2 0.8518
5 2 0.8844333333
0 1 0.7988
1 1 0.7987666667
2 1 0.7988333333
3 1 0.7997
4 1 0.8079666667
5 1 0.8471333333
0 0 0.7285
1 0 0.7285
2 0 0.7285333333
3 0 0.7296
4 0 0.7374333333
5 0 0.7938
EOD
$panel3_heat0 << EOD
0 3 0.877
1 3 0.877
2 3 0.8769666667
3 3 0.877
4 3 0.8777
5 3 0.8841333333
0 2 0.8752
1 2 0.8752
2 2 0.8750666667
3 2 0.8749666667
4 2 0.8735
5 2 0.8862
0 1 0.6745666667
1 1 0.6745666667
2 1 0.6746
3 1 0.6748666667
4 1 0.6764666667
5 1 0.7055333333
0 0 0.5262333333
1 0 0.5262333333
2 0 0.5263333333
3 0 0.5265333333
4 0 0.5286666667
5 0 0.5726333333
EOD
$panel4_heat0 << EOD
0 3 2.353242715
1 3 2.353243272
2 3 2.353276094
3 3 2.353586515
4 3 2.356903156
5 3 2.3940413
0 2 1.686588883
1 2 1.686591625
2 2 1.686850508
3 2 1.689229131
4 2 1.712526997
5 2 1.943696658
0 1 1.373576641
1 1 1.373579423
2 1 1.373865644
3 1 1.376424114
4 1 1.400906881
5 1 1.566106002
0 0 1.150851925
1 0 1.15085419
2 0 1.151076396
3 0 1.153061946
4 0 1.172401667
5 0 1.310711106
EOD
$panel5_heat0 << EOD
0 3 3
1 3 3
2 3 3
3 3 3
4 3 3
5 3 3
0 2 2
1 2 2
2 2 2
3 2 2
4 2 2
5 2 2
0 1 1
1 1 1
2 1 1
3 1 1
4 1 1
5 1 1
0 0 0.5
1 0 0.5
2 0 0.5
3 0 0.5
4 0 0.5
5 0 0.5
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,6.87in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,1319 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,495 background '#ffffff'
} }
set output 'fig_mnist_epsilon_alpha'.'.'.format
set multiplot

reset
set lmargin at screen 0.07803015689
set rmargin at screen 0.3920023148
set bmargin at screen 0.7343522562
set tmargin at screen 0.9643377001
set label 'test accuracy, {/:Normal=12 ⵟ}, α learned' at screen 0.2350162359,0.9843522562 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.2350162359,0.6837700146 center front
set label 'alpha init' at screen 0.02037037037,0.8493449782 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.9083333333:0.9217] noextend
set colorbox user origin screen 0.4008912037,0.7343522562 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('91.00 %%' 0.91, '91.25 %%' 0.9125, '91.50 %%' 0.915, '91.75 %%' 0.9175, '92.00 %%' 0.92)
unset key
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9024752443
set bmargin at screen 0.7343522562
set tmargin at screen 0.9643377001
set label 'test accuracy, {/:Normal=12 ⵟ}, α fixed' at screen 0.7402527006,0.9843522562 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.7402527006,0.6837700146 center front
set label 'alpha init' at screen 0.5203703704,0.8493449782 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.9035:0.9212333333] noextend
set colorbox user origin screen 0.9113641332,0.7343522562 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('90.5 %%' 0.905, '91.0 %%' 0.91, '91.5 %%' 0.915, '92.0 %%' 0.92)
unset key
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.07803015689
set rmargin at screen 0.4181806199
set bmargin at screen 0.4010189229
set tmargin at screen 0.6310043668
set label 'accuracy after w → −w, {/:Normal=12 ⵟ}, α learned' at screen 0.2481053884,0.6510189229 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.2481053884,0.3504366812 center front
set label 'alpha init' at screen 0.02037037037,0.5160116448 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.7285:0.8947] noextend
set colorbox user origin screen 0.4270695087,0.4010189229 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('75 %%' 0.75, '80 %%' 0.8, '85 %%' 0.85)
unset key
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9181806199
set bmargin at screen 0.4010189229
set tmargin at screen 0.6310043668
set label 'accuracy after w → −w, {/:Normal=12 ⵟ}, α fixed' at screen 0.7481053884,0.6510189229 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.7481053884,0.3504366812 center front
set label 'alpha init' at screen 0.5203703704,0.5160116448 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.5262333333:0.8862] noextend
set colorbox user origin screen 0.9270695087,0.4010189229 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('60 %%' 0.6, '70 %%' 0.7, '80 %%' 0.8)
unset key
plot $panel3_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.07803015689
set rmargin at screen 0.4233487654
set bmargin at screen 0.06768558952
set tmargin at screen 0.2976710335
set label 'final α, {/:Normal=12 ⵟ}, α learned' at screen 0.2506894612,0.3176855895 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.2506894612,0.01710334789 center front
set label 'alpha init' at screen 0.02037037037,0.1826783115 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [1.150851925:2.3940413] noextend
set colorbox user origin screen 0.4322376543,0.06768558952 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('1.25' 1.25, '1.50' 1.5, '1.75' 1.75, '2.00' 2, '2.25' 2.25)
unset key
plot $panel4_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9495270705
set bmargin at screen 0.06768558952
set tmargin at screen 0.2976710335
set label 'final α, {/:Normal=12 ⵟ}, α fixed' at screen 0.7637786137,0.3176855895 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.7637786137,0.01710334789 center front
set label 'alpha init' at screen 0.5203703704,0.1826783115 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.5:3] noextend
set colorbox user origin screen 0.9584159594,0.06768558952 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('1' 1, '2' 2, '3' 3)
unset key
plot $panel5_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle
unset multiplot
unset output
