# Figure fig_mnist_similarity_yat, drawn by yatlab: gnuplot -c fig_mnist_similarity_yat.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 9 NaN
1 9 53.96306917
2 9 69.56581563
3 9 68.16850707
4 9 61.05602055
5 9 64.08710999
6 9 69.49259269
7 9 62.09748295
8 9 70.20811645
9 9 63.85227402
0 8 53.96306917
1 8 NaN
2 8 60.25272385
3 8 58.21371364
4 8 52.81153295
5 8 50.59079472
6 8 54.40001551
7 8 49.56523555
8 8 58.46093977
9 8 53.84739224
0 7 69.56581563
1 7 60.25272385
2 7 NaN
3 7 71.09843787
4 7 58.48960421
5 7 63.20033888
6 7 64.84439354
7 7 54.40763446
8 7 67.36875583
9 7 58.32487516
0 6 68.16850707
1 6 58.21371364
2 6 71.09843787
3 6 NaN
4 6 60.04411441
5 6 68.29977752
6 6 64.66631876
7 6 64.91192561
8 6 70.9595625
9 6 65.62811376
0 5 61.05602055
1 5 52.81153295
2 5 58.48960421
3 5 60.04411441
4 5 NaN
5 5 60.59555476
6 5 61.69071875
7 5 57.87390386
8 5 67.6085792
9 5 62.6242093
0 4 64.08710999
1 4 50.59079472
2 4 63.20033888
3 4 68.29977752
4 4 60.59555476
5 4 NaN
6 4 59.72832679
7 4 56.95995229
8 4 72.66100944
9 4 61.03038923
0 3 69.49259269
1 3 54.40001551
2 3 64.84439354
3 3 64.66631876
4 3 61.69071875
5 3 59.72832679
6 3 NaN
7 3 56.08611936
8 3 67.0328156
9 3 60.75594589
0 2 62.09748295
1 2 49.56523555
2 2 54.40763446
3 2 64.91192561
4 2 57.87390386
5 2 56.95995229
6 2 56.08611936
7 2 NaN
8 2 61.73649815
9 2 67.94550132
0 1 70.20811645
1 1 58.46093977
2 1 67.36875583
3 1 70.9595625
4 1 67.6085792
5 1 72.66100944
6 1 67.0328156
7 1 61.73649815
8 1 NaN
9 1 68.75141704
0 0 63.85227402
1 0 53.84739224
2 0 58.32487516
3 0 65.62811376
4 0 62.6242093
5 0 61.03038923
6 0 60.75594589
7 0 67.94550132
8 0 68.75141704
9 0 NaN
EOD
$panel1_heat0 << EOD
0 9 NaN
1 9 30.72664896
2 9 44.10533368
3 9 45.49050565
4 9 36.66094338
5 9 37.89430787
6 9 43.81578128
7 9 36.59922041
8 9 46.77950078
9 9 40.18648
0 8 30.72664896
1 8 NaN
2 8 32.57002481
3 8 33.12138284
4 8 27.03647632
5 8 25.50474391
6 8 29.24403146
7 8 24.90698654
8 8 33.21086805
9 8 28.89445107
0 7 44.10533368
1 7 32.57002481
2 7 NaN
3 7 45.04223047
4 7 33.34085035
5 7 35.47689044
6 7 38.81390388
7 7 30.44251509
8 7 42.61373844
9 7 34.8481931
0 6 45.49050565
1 6 33.12138284
2 6 45.04223047
3 6 NaN
4 6 36.02551386
5 6 40.35405482
6 6 40.74129063
7 6 38.22847111
8 6 47.2436876
9 6 41.27224754
0 5 36.66094338
1 5 27.03647632
2 5 33.34085035
3 5 36.02551386
4 5 NaN
5 5 32.21416038
6 5 34.97153009
7 5 30.66785317
8 5 40.50166052
9 5 35.43631984
0 4 37.89430787
1 4 25.50474391
2 4 35.47689044
3 4 40.35405482
4 4 32.21416038
5 4 NaN
6 4 33.34289486
7 4 29.72339164
8 4 42.8647798
9 4 34.00796519
0 3 43.81578128
1 3 29.24403146
2 3 38.81390388
3 3 40.74129063
4 3 34.97153009
5 3 33.34289486
6 3 NaN
7 3 31.20849978
8 3 42.16726031
9 3 36.10040279
0 2 36.59922041
1 2 24.90698654
2 2 30.44251509
3 2 38.22847111
4 2 30.66785317
5 2 29.72339164
6 2 31.20849978
7 2 NaN
8 2 36.30243093
9 2 37.73894551
0 1 46.77950078
1 1 33.21086805
2 1 42.61373844
3 1 47.2436876
4 1 40.50166052
5 1 42.8647798
6 1 42.16726031
7 1 36.30243093
8 1 NaN
9 1 43.16990876
0 0 40.18648
1 0 28.89445107
2 0 34.8481931
3 0 41.27224754
4 0 35.43631984
5 0 34.00796519
6 0 36.10040279
7 0 37.73894551
8 0 43.16990876
9 0 NaN
EOD
$panel2_heat0 << EOD
0 9 NaN
1 9 -53.87795594
2 9 -38.76245753
3 9 -42.48390137
4 9 -47.44770234
5 9 -43.34748865
6 9 -38.67911689
7 9 -45.59991634
8 9 -39.70087829
9 9 -45.72197412
0 8 -53.87795594
1 8 NaN
2 8 -43.59634293
3 8 -48.98541466
4 8 -48.45990412
5 8 -49.88988422
6 8 -49.58588419
7 8 -50.74765175
8 8 -48.6014114
9 8 -50.06929964
0 7 -38.76245753
1 7 -43.59634293
2 7 NaN
3 7 -36.78559044
4 7 -47.49302711
5 7 -41.58746219
6 7 -42.08801038
7 7 -51.31846567
8 7 -41.43754167
9 7 -49.80368662
0 6 -42.48390137
1 6 -48.98541466
2 6 -36.78559044
3 6 NaN
4 6 -48.61548787
5 6 -38.32492122
6 6 -44.72502468
7 6 -42.23834142
8 6 -38.66943114
9 6 -43.44736551
0 5 -47.44770234
1 5 -48.45990412
2 5 -47.49302711
3 5 -48.61548787
4 5 NaN
5 5 -41.90938654
6 5 -43.56922218
7 5 -44.66425374
8 5 -39.45816172
9 5 -42.42389734
0 4 -43.34748865
1 4 -49.88988422
2 4 -41.58746219
3 4 -38.32492122
4 4 -41.90938654
5 4 NaN
6 4 -45.19300792
7 4 -44.91969208
8 4 -33.09843843
9 4 -43.64712192
0 3 -38.67911689
1 3 -49.58588419
2 3 -42.08801038
3 3 -44.72502468
4 3 -43.56922218
5 3 -45.19300792
6 3 NaN
7 3 -49.12405086
8 3 -41.66805248
9 3 -46.63682178
0 2 -45.59991634
1 2 -50.74765175
2 2 -51.31846567
3 2 -42.23834142
4 2 -44.66425374
5 2 -44.91969208
6 2 -49.12405086
7 2 NaN
8 2 -45.88538896
9 2 -35.84741405
0 1 -39.70087829
1 1 -48.6014114
2 1 -41.43754167
3 1 -38.66943114
4 1 -39.45816172
5 1 -33.09843843
6 1 -41.66805248
7 1 -45.88538896
8 1 NaN
9 1 -39.44701024
0 0 -45.72197412
1 0 -50.06929964
2 0 -49.80368662
3 0 -43.44736551
4 0 -42.42389734
5 0 -43.64712192
6 0 -46.63682178
7 0 -35.84741405
8 0 -39.44701024
9 0 NaN
EOD
$panel3_heat0 << EOD
0 9 NaN
1 9 17.52343355
2 9 50.1846395
3 9 48.70987717
4 9 28.32643985
5 9 33.12713797
6 9 49.6345922
7 9 29.37511182
8 9 55.12021992
9 9 35.32115251
0 8 17.52343355
1 8 NaN
2 8 24.33246006
3 8 22.39494725
4 8 15.08403523
5 8 13.03855164
6 8 17.24711009
7 8 12.22436576
8 8 22.69402262
9 8 16.67467174
0 7 50.1846395
1 7 24.33246006
2 7 NaN
3 7 55.152084
4 7 23.40579525
5 7 30.26415623
6 7 35.79448786
7 7 18.05873446
8 7 43.82331076
9 7 24.38366315
0 6 48.70987717
1 6 22.39494725
2 6 55.152084
3 6 NaN
4 6 26.6959654
5 6 42.49061091
6 6 37.11238625
7 6 34.59926712
8 6 57.71911753
9 6 39.20601411
0 5 28.32643985
1 5 15.08403523
2 5 23.40579525
3 5 26.6959654
4 5 NaN
5 5 24.7618008
6 5 28.07044916
7 5 21.05748845
8 5 41.57274486
9 5 29.59964894
0 4 33.12713797
1 4 13.03855164
2 4 30.26415623
3 4 42.49061091
4 4 24.7618008
5 4 NaN
6 4 24.60000877
7 4 19.66798464
8 4 55.51285435
9 4 26.49754165
0 3 49.6345922
1 3 17.24711009
2 3 35.79448786
3 3 37.11238625
4 3 28.07044916
5 3 24.60000877
6 3 NaN
7 3 19.82674969
8 3 42.67243871
9 3 27.94441715
0 2 29.37511182
1 2 12.22436576
2 2 18.05873446
3 2 34.59926712
4 2 21.05748845
5 2 19.66798464
6 2 19.82674969
7 2 NaN
8 2 28.72082452
9 2 39.7302748
0 1 55.12021992
1 1 22.69402262
2 1 43.82331076
3 1 57.71911753
4 1 41.57274486
5 1 55.51285435
6 1 42.67243871
7 1 28.72082452
8 1 NaN
9 1 47.24415206
0 0 35.32115251
1 0 16.67467174
2 0 24.38366315
3 0 39.20601411
4 0 29.59964894
5 0 26.49754165
6 0 27.94441715
7 0 39.7302748
8 0 47.24415206
9 0 NaN
EOD

format = (exists('ARG1') && strlen(ARG1) > 0) ? ARG1 : 'svg'
if (format eq 'pdf') {
  set terminal pdfcairo enhanced color font 'DejaVu Sans,8' fontscale 0.75 linewidth 2 size 6.75in,7in background '#ffffff'
} else { if (format eq 'png') {
  set terminal pngcairo enhanced color font 'DejaVu Sans,8' fontscale 2 linewidth 2.667 pointscale 1.6 size 1296,1344 background '#ffffff'
} else {
  set terminal svg enhanced font 'DejaVu Sans,8' size 486,504 background '#ffffff'
} }
set output 'fig_mnist_similarity_yat'.'.'.format
set multiplot

reset
set lmargin at screen 0.05264387217
set rmargin at screen 0.4659772055
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label '{/:Normal=12 ⵟ} prototypes, cosine (unit 10⁻²)' at screen 0.2593105388,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 10 of 45 pairs' at screen 0.2593105388,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [49.56523555:72.66100944] noextend
unset key
set label '54' at first 1,9 center front tc rgb '#ffffff'
set label '70' at first 2,9 center front tc rgb '#000000'
set label '68' at first 3,9 center front tc rgb '#000000'
set label '61' at first 4,9 center front tc rgb '#000000'
set label '64' at first 5,9 center front tc rgb '#000000'
set label '69' at first 6,9 center front tc rgb '#000000'
set label '62' at first 7,9 center front tc rgb '#000000'
set label '70' at first 8,9 center front tc rgb '#000000'
set label '64' at first 9,9 center front tc rgb '#000000'
set label '54' at first 0,8 center front tc rgb '#ffffff'
set label '60' at first 2,8 center front tc rgb '#000000'
set label '58' at first 3,8 center front tc rgb '#ffffff'
set label '53' at first 4,8 center front tc rgb '#ffffff'
set label '51' at first 5,8 center front tc rgb '#ffffff'
set label '54' at first 6,8 center front tc rgb '#ffffff'
set label '50' at first 7,8 center front tc rgb '#ffffff'
set label '58' at first 8,8 center front tc rgb '#ffffff'
set label '54' at first 9,8 center front tc rgb '#ffffff'
set label '70' at first 0,7 center front tc rgb '#000000'
set label '60' at first 1,7 center front tc rgb '#000000'
set label '71' at first 3,7 center front tc rgb '#000000'
set label '58' at first 4,7 center front tc rgb '#ffffff'
set label '63' at first 5,7 center front tc rgb '#000000'
set label '65' at first 6,7 center front tc rgb '#000000'
set label '54' at first 7,7 center front tc rgb '#ffffff'
set label '67' at first 8,7 center front tc rgb '#000000'
set label '58' at first 9,7 center front tc rgb '#ffffff'
set label '68' at first 0,6 center front tc rgb '#000000'
set label '58' at first 1,6 center front tc rgb '#ffffff'
set label '71' at first 2,6 center front tc rgb '#000000'
set label '60' at first 4,6 center front tc rgb '#000000'
set label '68' at first 5,6 center front tc rgb '#000000'
set label '65' at first 6,6 center front tc rgb '#000000'
set label '65' at first 7,6 center front tc rgb '#000000'
set label '71' at first 8,6 center front tc rgb '#000000'
set label '66' at first 9,6 center front tc rgb '#000000'
set label '61' at first 0,5 center front tc rgb '#000000'
set label '53' at first 1,5 center front tc rgb '#ffffff'
set label '58' at first 2,5 center front tc rgb '#ffffff'
set label '60' at first 3,5 center front tc rgb '#000000'
set label '61' at first 5,5 center front tc rgb '#000000'
set label '62' at first 6,5 center front tc rgb '#000000'
set label '58' at first 7,5 center front tc rgb '#ffffff'
set label '68' at first 8,5 center front tc rgb '#000000'
set label '63' at first 9,5 center front tc rgb '#000000'
set label '64' at first 0,4 center front tc rgb '#000000'
set label '51' at first 1,4 center front tc rgb '#ffffff'
set label '63' at first 2,4 center front tc rgb '#000000'
set label '68' at first 3,4 center front tc rgb '#000000'
set label '61' at first 4,4 center front tc rgb '#000000'
set label '60' at first 6,4 center front tc rgb '#000000'
set label '57' at first 7,4 center front tc rgb '#ffffff'
set label '73' at first 8,4 center front tc rgb '#000000'
set label '61' at first 9,4 center front tc rgb '#000000'
set label '69' at first 0,3 center front tc rgb '#000000'
set label '54' at first 1,3 center front tc rgb '#ffffff'
set label '65' at first 2,3 center front tc rgb '#000000'
set label '65' at first 3,3 center front tc rgb '#000000'
set label '62' at first 4,3 center front tc rgb '#000000'
set label '60' at first 5,3 center front tc rgb '#000000'
set label '56' at first 7,3 center front tc rgb '#ffffff'
set label '67' at first 8,3 center front tc rgb '#000000'
set label '61' at first 9,3 center front tc rgb '#000000'
set label '62' at first 0,2 center front tc rgb '#000000'
set label '50' at first 1,2 center front tc rgb '#ffffff'
set label '54' at first 2,2 center front tc rgb '#ffffff'
set label '65' at first 3,2 center front tc rgb '#000000'
set label '58' at first 4,2 center front tc rgb '#ffffff'
set label '57' at first 5,2 center front tc rgb '#ffffff'
set label '56' at first 6,2 center front tc rgb '#ffffff'
set label '62' at first 8,2 center front tc rgb '#000000'
set label '68' at first 9,2 center front tc rgb '#000000'
set label '70' at first 0,1 center front tc rgb '#000000'
set label '58' at first 1,1 center front tc rgb '#ffffff'
set label '67' at first 2,1 center front tc rgb '#000000'
set label '71' at first 3,1 center front tc rgb '#000000'
set label '68' at first 4,1 center front tc rgb '#000000'
set label '73' at first 5,1 center front tc rgb '#000000'
set label '67' at first 6,1 center front tc rgb '#000000'
set label '62' at first 7,1 center front tc rgb '#000000'
set label '69' at first 9,1 center front tc rgb '#000000'
set label '64' at first 0,0 center front tc rgb '#000000'
set label '54' at first 1,0 center front tc rgb '#ffffff'
set label '58' at first 2,0 center front tc rgb '#ffffff'
set label '66' at first 3,0 center front tc rgb '#000000'
set label '63' at first 4,0 center front tc rgb '#000000'
set label '61' at first 5,0 center front tc rgb '#000000'
set label '61' at first 6,0 center front tc rgb '#000000'
set label '68' at first 7,0 center front tc rgb '#000000'
set label '69' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5526438722
set rmargin at screen 0.9659772055
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label '{/:Normal=12 ⵟ} prototypes, dot' at screen 0.7593105388,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 19 of 45 pairs' at screen 0.7593105388,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [24.90698654:47.2436876] noextend
unset key
set label '31' at first 1,9 center front tc rgb '#ffffff'
set label '44' at first 2,9 center front tc rgb '#000000'
set label '45' at first 3,9 center front tc rgb '#000000'
set label '37' at first 4,9 center front tc rgb '#000000'
set label '38' at first 5,9 center front tc rgb '#000000'
set label '44' at first 6,9 center front tc rgb '#000000'
set label '37' at first 7,9 center front tc rgb '#000000'
set label '47' at first 8,9 center front tc rgb '#000000'
set label '40' at first 9,9 center front tc rgb '#000000'
set label '31' at first 0,8 center front tc rgb '#ffffff'
set label '33' at first 2,8 center front tc rgb '#ffffff'
set label '33' at first 3,8 center front tc rgb '#ffffff'
set label '27' at first 4,8 center front tc rgb '#ffffff'
set label '26' at first 5,8 center front tc rgb '#ffffff'
set label '29' at first 6,8 center front tc rgb '#ffffff'
set label '25' at first 7,8 center front tc rgb '#ffffff'
set label '33' at first 8,8 center front tc rgb '#ffffff'
set label '29' at first 9,8 center front tc rgb '#ffffff'
set label '44' at first 0,7 center front tc rgb '#000000'
set label '33' at first 1,7 center front tc rgb '#ffffff'
set label '45' at first 3,7 center front tc rgb '#000000'
set label '33' at first 4,7 center front tc rgb '#ffffff'
set label '35' at first 5,7 center front tc rgb '#000000'
set label '39' at first 6,7 center front tc rgb '#000000'
set label '30' at first 7,7 center front tc rgb '#ffffff'
set label '43' at first 8,7 center front tc rgb '#000000'
set label '35' at first 9,7 center front tc rgb '#000000'
set label '45' at first 0,6 center front tc rgb '#000000'
set label '33' at first 1,6 center front tc rgb '#ffffff'
set label '45' at first 2,6 center front tc rgb '#000000'
set label '36' at first 4,6 center front tc rgb '#000000'
set label '40' at first 5,6 center front tc rgb '#000000'
set label '41' at first 6,6 center front tc rgb '#000000'
set label '38' at first 7,6 center front tc rgb '#000000'
set label '47' at first 8,6 center front tc rgb '#000000'
set label '41' at first 9,6 center front tc rgb '#000000'
set label '37' at first 0,5 center front tc rgb '#000000'
set label '27' at first 1,5 center front tc rgb '#ffffff'
set label '33' at first 2,5 center front tc rgb '#ffffff'
set label '36' at first 3,5 center front tc rgb '#000000'
set label '32' at first 5,5 center front tc rgb '#ffffff'
set label '35' at first 6,5 center front tc rgb '#000000'
set label '31' at first 7,5 center front tc rgb '#ffffff'
set label '41' at first 8,5 center front tc rgb '#000000'
set label '35' at first 9,5 center front tc rgb '#000000'
set label '38' at first 0,4 center front tc rgb '#000000'
set label '26' at first 1,4 center front tc rgb '#ffffff'
set label '35' at first 2,4 center front tc rgb '#000000'
set label '40' at first 3,4 center front tc rgb '#000000'
set label '32' at first 4,4 center front tc rgb '#ffffff'
set label '33' at first 6,4 center front tc rgb '#ffffff'
set label '30' at first 7,4 center front tc rgb '#ffffff'
set label '43' at first 8,4 center front tc rgb '#000000'
set label '34' at first 9,4 center front tc rgb '#ffffff'
set label '44' at first 0,3 center front tc rgb '#000000'
set label '29' at first 1,3 center front tc rgb '#ffffff'
set label '39' at first 2,3 center front tc rgb '#000000'
set label '41' at first 3,3 center front tc rgb '#000000'
set label '35' at first 4,3 center front tc rgb '#000000'
set label '33' at first 5,3 center front tc rgb '#ffffff'
set label '31' at first 7,3 center front tc rgb '#ffffff'
set label '42' at first 8,3 center front tc rgb '#000000'
set label '36' at first 9,3 center front tc rgb '#000000'
set label '37' at first 0,2 center front tc rgb '#000000'
set label '25' at first 1,2 center front tc rgb '#ffffff'
set label '30' at first 2,2 center front tc rgb '#ffffff'
set label '38' at first 3,2 center front tc rgb '#000000'
set label '31' at first 4,2 center front tc rgb '#ffffff'
set label '30' at first 5,2 center front tc rgb '#ffffff'
set label '31' at first 6,2 center front tc rgb '#ffffff'
set label '36' at first 8,2 center front tc rgb '#000000'
set label '38' at first 9,2 center front tc rgb '#000000'
set label '47' at first 0,1 center front tc rgb '#000000'
set label '33' at first 1,1 center front tc rgb '#ffffff'
set label '43' at first 2,1 center front tc rgb '#000000'
set label '47' at first 3,1 center front tc rgb '#000000'
set label '41' at first 4,1 center front tc rgb '#000000'
set label '43' at first 5,1 center front tc rgb '#000000'
set label '42' at first 6,1 center front tc rgb '#000000'
set label '36' at first 7,1 center front tc rgb '#000000'
set label '43' at first 9,1 center front tc rgb '#000000'
set label '40' at first 0,0 center front tc rgb '#000000'
set label '29' at first 1,0 center front tc rgb '#ffffff'
set label '35' at first 2,0 center front tc rgb '#000000'
set label '41' at first 3,0 center front tc rgb '#000000'
set label '35' at first 4,0 center front tc rgb '#000000'
set label '34' at first 5,0 center front tc rgb '#ffffff'
set label '36' at first 6,0 center front tc rgb '#000000'
set label '38' at first 7,0 center front tc rgb '#000000'
set label '43' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.05264387217
set rmargin at screen 0.4659772055
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label '{/:Normal=12 ⵟ} prototypes, euclidean' at screen 0.2593105388,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 2 of 45 pairs' at screen 0.2593105388,0.01678571429 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [-53.87795594:-33.09843843] noextend
unset key
set label '−54' at first 1,9 center front tc rgb '#ffffff'
set label '−39' at first 2,9 center front tc rgb '#000000'
set label '−42' at first 3,9 center front tc rgb '#000000'
set label '−47' at first 4,9 center front tc rgb '#ffffff'
set label '−43' at first 5,9 center front tc rgb '#000000'
set label '−39' at first 6,9 center front tc rgb '#000000'
set label '−46' at first 7,9 center front tc rgb '#ffffff'
set label '−40' at first 8,9 center front tc rgb '#000000'
set label '−46' at first 9,9 center front tc rgb '#ffffff'
set label '−54' at first 0,8 center front tc rgb '#ffffff'
set label '−44' at first 2,8 center front tc rgb '#000000'
set label '−49' at first 3,8 center front tc rgb '#ffffff'
set label '−48' at first 4,8 center front tc rgb '#ffffff'
set label '−50' at first 5,8 center front tc rgb '#ffffff'
set label '−50' at first 6,8 center front tc rgb '#ffffff'
set label '−51' at first 7,8 center front tc rgb '#ffffff'
set label '−49' at first 8,8 center front tc rgb '#ffffff'
set label '−50' at first 9,8 center front tc rgb '#ffffff'
set label '−39' at first 0,7 center front tc rgb '#000000'
set label '−44' at first 1,7 center front tc rgb '#000000'
set label '−37' at first 3,7 center front tc rgb '#000000'
set label '−47' at first 4,7 center front tc rgb '#ffffff'
set label '−42' at first 5,7 center front tc rgb '#000000'
set label '−42' at first 6,7 center front tc rgb '#000000'
set label '−51' at first 7,7 center front tc rgb '#ffffff'
set label '−41' at first 8,7 center front tc rgb '#000000'
set label '−50' at first 9,7 center front tc rgb '#ffffff'
set label '−42' at first 0,6 center front tc rgb '#000000'
set label '−49' at first 1,6 center front tc rgb '#ffffff'
set label '−37' at first 2,6 center front tc rgb '#000000'
set label '−49' at first 4,6 center front tc rgb '#ffffff'
set label '−38' at first 5,6 center front tc rgb '#000000'
set label '−45' at first 6,6 center front tc rgb '#000000'
set label '−42' at first 7,6 center front tc rgb '#000000'
set label '−39' at first 8,6 center front tc rgb '#000000'
set label '−43' at first 9,6 center front tc rgb '#000000'
set label '−47' at first 0,5 center front tc rgb '#ffffff'
set label '−48' at first 1,5 center front tc rgb '#ffffff'
set label '−47' at first 2,5 center front tc rgb '#ffffff'
set label '−49' at first 3,5 center front tc rgb '#ffffff'
set label '−42' at first 5,5 center front tc rgb '#000000'
set label '−44' at first 6,5 center front tc rgb '#000000'
set label '−45' at first 7,5 center front tc rgb '#000000'
set label '−39' at first 8,5 center front tc rgb '#000000'
set label '−42' at first 9,5 center front tc rgb '#000000'
set label '−43' at first 0,4 center front tc rgb '#000000'
set label '−50' at first 1,4 center front tc rgb '#ffffff'
set label '−42' at first 2,4 center front tc rgb '#000000'
set label '−38' at first 3,4 center front tc rgb '#000000'
set label '−42' at first 4,4 center front tc rgb '#000000'
set label '−45' at first 6,4 center front tc rgb '#ffffff'
set label '−45' at first 7,4 center front tc rgb '#ffffff'
set label '−33' at first 8,4 center front tc rgb '#000000'
set label '−44' at first 9,4 center front tc rgb '#000000'
set label '−39' at first 0,3 center front tc rgb '#000000'
set label '−50' at first 1,3 center front tc rgb '#ffffff'
set label '−42' at first 2,3 center front tc rgb '#000000'
set label '−45' at first 3,3 center front tc rgb '#000000'
set label '−44' at first 4,3 center front tc rgb '#000000'
set label '−45' at first 5,3 center front tc rgb '#ffffff'
set label '−49' at first 7,3 center front tc rgb '#ffffff'
set label '−42' at first 8,3 center front tc rgb '#000000'
set label '−47' at first 9,3 center front tc rgb '#ffffff'
set label '−46' at first 0,2 center front tc rgb '#ffffff'
set label '−51' at first 1,2 center front tc rgb '#ffffff'
set label '−51' at first 2,2 center front tc rgb '#ffffff'
set label '−42' at first 3,2 center front tc rgb '#000000'
set label '−45' at first 4,2 center front tc rgb '#000000'
set label '−45' at first 5,2 center front tc rgb '#ffffff'
set label '−49' at first 6,2 center front tc rgb '#ffffff'
set label '−46' at first 8,2 center front tc rgb '#ffffff'
set label '−36' at first 9,2 center front tc rgb '#000000'
set label '−40' at first 0,1 center front tc rgb '#000000'
set label '−49' at first 1,1 center front tc rgb '#ffffff'
set label '−41' at first 2,1 center front tc rgb '#000000'
set label '−39' at first 3,1 center front tc rgb '#000000'
set label '−39' at first 4,1 center front tc rgb '#000000'
set label '−33' at first 5,1 center front tc rgb '#000000'
set label '−42' at first 6,1 center front tc rgb '#000000'
set label '−46' at first 7,1 center front tc rgb '#ffffff'
set label '−39' at first 9,1 center front tc rgb '#000000'
set label '−46' at first 0,0 center front tc rgb '#ffffff'
set label '−50' at first 1,0 center front tc rgb '#ffffff'
set label '−50' at first 2,0 center front tc rgb '#ffffff'
set label '−43' at first 3,0 center front tc rgb '#000000'
set label '−42' at first 4,0 center front tc rgb '#000000'
set label '−44' at first 5,0 center front tc rgb '#000000'
set label '−47' at first 6,0 center front tc rgb '#ffffff'
set label '−36' at first 7,0 center front tc rgb '#000000'
set label '−39' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5526438722
set rmargin at screen 0.9659772055
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label '{/:Normal=12 ⵟ} prototypes, yat' at screen 0.7593105388,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 13 of 45 pairs' at screen 0.7593105388,0.01678571429 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [12.22436576:57.71911753] noextend
unset key
set label '18' at first 1,9 center front tc rgb '#ffffff'
set label '50' at first 2,9 center front tc rgb '#000000'
set label '49' at first 3,9 center front tc rgb '#000000'
set label '28' at first 4,9 center front tc rgb '#ffffff'
set label '33' at first 5,9 center front tc rgb '#000000'
set label '50' at first 6,9 center front tc rgb '#000000'
set label '29' at first 7,9 center front tc rgb '#ffffff'
set label '55' at first 8,9 center front tc rgb '#000000'
set label '35' at first 9,9 center front tc rgb '#000000'
set label '18' at first 0,8 center front tc rgb '#ffffff'
set label '24' at first 2,8 center front tc rgb '#ffffff'
set label '22' at first 3,8 center front tc rgb '#ffffff'
set label '15' at first 4,8 center front tc rgb '#ffffff'
set label '13' at first 5,8 center front tc rgb '#ffffff'
set label '17' at first 6,8 center front tc rgb '#ffffff'
set label '12' at first 7,8 center front tc rgb '#ffffff'
set label '23' at first 8,8 center front tc rgb '#ffffff'
set label '17' at first 9,8 center front tc rgb '#ffffff'
set label '50' at first 0,7 center front tc rgb '#000000'
set label '24' at first 1,7 center front tc rgb '#ffffff'
set label '55' at first 3,7 center front tc rgb '#000000'
set label '23' at first 4,7 center front tc rgb '#ffffff'
set label '30' at first 5,7 center front tc rgb '#ffffff'
set label '36' at first 6,7 center front tc rgb '#000000'
set label '18' at first 7,7 center front tc rgb '#ffffff'
set label '44' at first 8,7 center front tc rgb '#000000'
set label '24' at first 9,7 center front tc rgb '#ffffff'
set label '49' at first 0,6 center front tc rgb '#000000'
set label '22' at first 1,6 center front tc rgb '#ffffff'
set label '55' at first 2,6 center front tc rgb '#000000'
set label '27' at first 4,6 center front tc rgb '#ffffff'
set label '42' at first 5,6 center front tc rgb '#000000'
set label '37' at first 6,6 center front tc rgb '#000000'
set label '35' at first 7,6 center front tc rgb '#000000'
set label '58' at first 8,6 center front tc rgb '#000000'
set label '39' at first 9,6 center front tc rgb '#000000'
set label '28' at first 0,5 center front tc rgb '#ffffff'
set label '15' at first 1,5 center front tc rgb '#ffffff'
set label '23' at first 2,5 center front tc rgb '#ffffff'
set label '27' at first 3,5 center front tc rgb '#ffffff'
set label '25' at first 5,5 center front tc rgb '#ffffff'
set label '28' at first 6,5 center front tc rgb '#ffffff'
set label '21' at first 7,5 center front tc rgb '#ffffff'
set label '42' at first 8,5 center front tc rgb '#000000'
set label '30' at first 9,5 center front tc rgb '#ffffff'
set label '33' at first 0,4 center front tc rgb '#000000'
set label '13' at first 1,4 center front tc rgb '#ffffff'
set label '30' at first 2,4 center front tc rgb '#ffffff'
set label '42' at first 3,4 center front tc rgb '#000000'
set label '25' at first 4,4 center front tc rgb '#ffffff'
set label '25' at first 6,4 center front tc rgb '#ffffff'
set label '20' at first 7,4 center front tc rgb '#ffffff'
set label '56' at first 8,4 center front tc rgb '#000000'
set label '26' at first 9,4 center front tc rgb '#ffffff'
set label '50' at first 0,3 center front tc rgb '#000000'
set label '17' at first 1,3 center front tc rgb '#ffffff'
set label '36' at first 2,3 center front tc rgb '#000000'
set label '37' at first 3,3 center front tc rgb '#000000'
set label '28' at first 4,3 center front tc rgb '#ffffff'
set label '25' at first 5,3 center front tc rgb '#ffffff'
set label '20' at first 7,3 center front tc rgb '#ffffff'
set label '43' at first 8,3 center front tc rgb '#000000'
set label '28' at first 9,3 center front tc rgb '#ffffff'
set label '29' at first 0,2 center front tc rgb '#ffffff'
set label '12' at first 1,2 center front tc rgb '#ffffff'
set label '18' at first 2,2 center front tc rgb '#ffffff'
set label '35' at first 3,2 center front tc rgb '#000000'
set label '21' at first 4,2 center front tc rgb '#ffffff'
set label '20' at first 5,2 center front tc rgb '#ffffff'
set label '20' at first 6,2 center front tc rgb '#ffffff'
set label '29' at first 8,2 center front tc rgb '#ffffff'
set label '40' at first 9,2 center front tc rgb '#000000'
set label '55' at first 0,1 center front tc rgb '#000000'
set label '23' at first 1,1 center front tc rgb '#ffffff'
set label '44' at first 2,1 center front tc rgb '#000000'
set label '58' at first 3,1 center front tc rgb '#000000'
set label '42' at first 4,1 center front tc rgb '#000000'
set label '56' at first 5,1 center front tc rgb '#000000'
set label '43' at first 6,1 center front tc rgb '#000000'
set label '29' at first 7,1 center front tc rgb '#ffffff'
set label '47' at first 9,1 center front tc rgb '#000000'
set label '35' at first 0,0 center front tc rgb '#000000'
set label '17' at first 1,0 center front tc rgb '#ffffff'
set label '24' at first 2,0 center front tc rgb '#ffffff'
set label '39' at first 3,0 center front tc rgb '#000000'
set label '30' at first 4,0 center front tc rgb '#ffffff'
set label '26' at first 5,0 center front tc rgb '#ffffff'
set label '28' at first 6,0 center front tc rgb '#ffffff'
set label '40' at first 7,0 center front tc rgb '#000000'
set label '47' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel3_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle
unset multiplot
unset output
