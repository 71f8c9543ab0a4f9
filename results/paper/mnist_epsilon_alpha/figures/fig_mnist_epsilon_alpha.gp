# Figure fig_mnist_epsilon_alpha, drawn by yatlab: gnuplot -c fig_mnist_epsilon_alpha.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 3 0.90337
1 3 0.90337
2 3 0.90337
3 3 0.90334
4 3 0.90356
5 3 0.90824
0 2 0.91399
1 2 0.91399
2 2 0.91402
3 2 0.91409
4 2 0.91619
5 2 0.91672
0 1 0.9194
1 1 0.9194
2 1 0.91939
3 1 0.91945
4 1 0.9198
5 1 0.92
0 0 0.92225
1 0 0.92225
2 0 0.92224
3 0 0.9222
4 0 0.92216
5 0 0.92058
EOD
$panel1_heat0 << EOD
0 3 0.89752
1 3 0.89752
2 3 0.89753
3 3 0.8976
4 3 0.89785
5 3 0.90292
0 2 0.91111
1 2 0.91111
2 2 0.91103
3 2 0.9111
4 2 0.9138
5 2 0.91663
0 1 0.92173
1 1 0.92173
2 1 0.92175
3 1 0.92174
4 1 0.92197
5 1 0.92156
0 0 0.92169
1 0 0.92169
2 0 0.92172
3 0 0.9218
4 0 0.9216
5 0 0.91701
EOD
$panel2_heat0 << EOD
0 3 0.87547
1 3 0.87547
2 3 0.87547
3 3 0.87545
4 3 0.87544
5 3 0.87893
0 2 0.83861
1 2 0.8386
2 2 0.83865
3 2 0.83895
4 2 0.84087
5 2 0.86545
0 1 0.7706
1 1 0.77059
2 1 0.77066
3 1 0.77125
4 1 0.77791
5 1 0.82055
0 0 0.70953
1 0 0.70953
2 0 0.70957
3 0 0.71047
4 0 0.71792
5 0 0.77632
EOD
$panel3_heat0 << EOD
0 3 0.865
1 3 0.865
2 3 0.86498
3 3 0.86509
4 3 0.86538
5 3 0.86953
0 2 0.86433
1 2 0.86431
2 2 0.86408
3 2 0.86392
4 2 0.86357
5 2 0.86709
0 1 0.66491
1 1 0.66491
2 1 0.66492
3 1 0.66501
4 1 0.6665
5 1 0.69654
0 0 0.5384
1 0 0.5384
2 0 0.53845
3 0 0.53863
4 0 0.5407
5 0 0.59952
EOD
$panel4_heat0 << EOD
0 3 2.390382671
1 3 2.390383124
2 3 2.390415812
3 3 2.390727115
4 3 2.394016051
5 3 2.435258436
0 2 1.705490255
1 2 1.705491614
2 2 1.705621898
3 2 1.707906234
4 2 1.723704469
5 2 1.945677257
0 1 1.368534541
1 1 1.368537259
2 1 1.368814731
3 1 1.371328211
4 1 1.395681822
5 1 1.573438108
0 0 1.139078712
1 0 1.139081454
2 0 1.139330375
3 0 1.141582572
4 0 1.163247085
5 0 1.321110463
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
set rmargin at screen 0.4024752443
set bmargin at screen 0.7343522562
set tmargin at screen 0.9643377001
set label 'test accuracy, {/:Normal=9.6 ⵟ}, α learned' at screen 0.2402527006,0.9843522562 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.2402527006,0.6837700146 center front
set label 'alpha init' at screen 0.02037037037,0.8493449782 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.89752:0.92225] noextend
set colorbox user origin screen 0.4113641332,0.7343522562 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('90.0 %%' 0.9, '90.5 %%' 0.905, '91.0 %%' 0.91, '91.5 %%' 0.915, '92.0 %%' 0.92)
unset key
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9024752443
set bmargin at screen 0.7343522562
set tmargin at screen 0.9643377001
set label 'test accuracy, {/:Normal=9.6 ⵟ}, α fixed' at screen 0.7402527006,0.9843522562 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.7402527006,0.6837700146 center front
set label 'alpha init' at screen 0.5203703704,0.8493449782 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.89752:0.92225] noextend
set colorbox user origin screen 0.9113641332,0.7343522562 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('90.0 %%' 0.9, '90.5 %%' 0.905, '91.0 %%' 0.91, '91.5 %%' 0.915, '92.0 %%' 0.92)
unset key
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.07803015689
set rmargin at screen 0.4181806199
set bmargin at screen 0.4010189229
set tmargin at screen 0.6310043668
set label 'accuracy after w → −w, {/:Normal=9.6 ⵟ}, α learned' at screen 0.2481053884,0.6510189229 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.2481053884,0.3504366812 center front
set label 'alpha init' at screen 0.02037037037,0.5160116448 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.5384:0.87893] noextend
set colorbox user origin screen 0.4270695087,0.4010189229 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('60 %%' 0.6, '70 %%' 0.7, '80 %%' 0.8)
unset key
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9181806199
set bmargin at screen 0.4010189229
set tmargin at screen 0.6310043668
set label 'accuracy after w → −w, {/:Normal=9.6 ⵟ}, α fixed' at screen 0.7481053884,0.6510189229 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.7481053884,0.3504366812 center front
set label 'alpha init' at screen 0.5203703704,0.5160116448 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.5384:0.87893] noextend
set colorbox user origin screen 0.9270695087,0.4010189229 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('60 %%' 0.6, '70 %%' 0.7, '80 %%' 0.8)
unset key
plot $panel3_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.07803015689
set rmargin at screen 0.4495270705
set bmargin at screen 0.06768558952
set tmargin at screen 0.2976710335
set label 'final α, {/:Normal=9.6 ⵟ}, α learned' at screen 0.2637786137,0.3176855895 center front
set xrange [-0.5:5.5] noextend
set xtics  nomirror scale 0,0 norotate ('1e-5' 0, '0.001' 1, '0.1' 2, '1' 3, '10' 4, '100' 5)
set yrange [-0.5:3.5] noextend
set ytics  nomirror scale 0,0 norotate ('0.5' 0, '1' 1, '2' 2, '3' 3)
set label 'ε' at screen 0.2637786137,0.01710334789 center front
set label 'alpha init' at screen 0.02037037037,0.1826783115 center rotate by 90 front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [0.5:3] noextend
set colorbox user origin screen 0.4584159594,0.06768558952 size screen 0.01185185185,0.229985444 front noborder
set cbtics out nomirror scale 0,0 ('1' 1, '2' 2, '3' 3)
unset key
plot $panel4_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5780301569
set rmargin at screen 0.9495270705
set bmargin at screen 0.06768558952
set tmargin at screen 0.2976710335
set label 'final α, {/:Normal=9.6 ⵟ}, α fixed' at screen 0.7637786137,0.3176855895 center front
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
