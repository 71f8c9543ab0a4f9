# Figure fig_mnist_similarity_yat, drawn by yatlab: gnuplot -c fig_mnist_similarity_yat.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 9 NaN
1 9 53.96307285
2 9 69.56580658
3 9 68.16850224
4 9 61.05600686
5 9 64.08710349
6 9 69.49271666
7 9 62.09747562
8 9 70.20811338
9 9 63.85238115
0 8 53.96307285
1 8 NaN
2 8 60.25273234
3 8 58.21372007
4 8 52.81153295
5 8 50.59078967
6 8 54.40002032
7 8 49.56523387
8 8 58.46093227
9 8 53.84748085
0 7 69.56580658
1 7 60.25273234
2 7 NaN
3 7 71.09843392
4 7 58.48958932
5 7 63.20033111
6 7 64.84438322
7 7 54.40762777
8 7 67.36874743
9 7 58.32486317
0 6 68.16850224
1 6 58.21372007
2 6 71.09843392
3 6 NaN
4 6 60.0441007
5 6 68.29976712
6 6 64.66646038
7 6 64.91191764
8 6 70.95955329
9 6 65.62813249
0 5 61.05600686
1 5 52.81153295
2 5 58.48958932
3 5 60.0441007
4 5 NaN
5 5 60.59553904
6 5 61.69087667
7 5 57.87389089
8 5 67.60856658
9 5 62.62422511
0 4 64.08710349
1 4 50.59078967
2 4 63.20033111
3 4 68.29976712
4 4 60.59553904
5 4 NaN
6 4 59.72839579
7 4 56.9599401
8 4 72.66099992
9 4 61.03045857
0 3 69.49271666
1 3 54.40002032
2 3 64.84438322
3 3 64.66646038
4 3 61.69087667
5 3 59.72839579
6 3 NaN
7 3 56.08616959
8 3 67.03307802
9 3 60.75621108
0 2 62.09747562
1 2 49.56523387
2 2 54.40762777
3 2 64.91191764
4 2 57.87389089
5 2 56.9599401
6 2 56.08616959
7 2 NaN
8 2 61.73648887
9 2 67.94557408
0 1 70.20811338
1 1 58.46093227
2 1 67.36874743
3 1 70.95955329
4 1 67.60856658
5 1 72.66099992
6 1 67.03307802
7 1 61.73648887
8 1 NaN
9 1 68.75149173
0 0 63.85238115
1 0 53.84748085
2 0 58.32486317
3 0 65.62813249
4 0 62.62422511
5 0 61.03045857
6 0 60.75621108
7 0 67.94557408
8 0 68.75149173
9 0 NaN
EOD
$panel1_heat0 << EOD
0 9 NaN
1 9 30.72664369
2 9 44.10532412
3 9 45.49049953
4 9 36.66092967
5 9 37.89429906
6 9 43.81585424
7 9 36.5992092
8 9 46.77949768
9 9 40.18654278
0 8 30.72664369
1 8 NaN
2 8 32.57002365
3 8 33.1213814
4 8 27.03646984
5 8 25.50473572
6 8 29.24402793
7 8 24.90697877
8 8 33.21086006
9 8 28.89449268
0 7 44.10532412
1 7 32.57002365
2 7 NaN
3 7 45.04222794
4 7 33.34083897
5 7 35.47688367
6 7 38.81389554
7 7 30.44250754
8 7 42.61373486
9 7 34.84818411
0 6 45.49049953
1 6 33.1213814
2 6 45.04222794
3 6 NaN
4 6 36.02550334
5 6 40.35404686
6 6 40.74137851
7 6 38.22846251
8 6 47.24368447
9 6 41.27225811
0 5 36.66092967
1 5 27.03646984
2 5 33.34083897
3 5 36.02550334
4 5 NaN
5 5 32.21414779
6 5 34.97161545
7 5 30.66784052
8 5 40.50165205
9 5 35.4363247
0 4 37.89429906
1 4 25.50473572
2 4 35.47688367
3 4 40.35404686
4 4 32.21414779
5 4 NaN
6 4 33.34293004
7 4 29.72338024
8 4 42.86477402
9 4 34.00800053
0 3 43.81585424
1 3 29.24402793
2 3 38.81389554
3 3 40.74137851
4 3 34.97161545
5 3 33.34293004
6 3 NaN
7 3 31.20852282
8 3 42.16742574
9 3 36.10055732
0 2 36.5992092
1 2 24.90697877
2 2 30.44250754
3 2 38.22846251
4 2 30.66784052
5 2 29.72338024
6 2 31.20852282
7 2 NaN
8 2 36.30242326
9 2 37.73898012
0 1 46.77949768
1 1 33.21086006
2 1 42.61373486
3 1 47.24368447
4 1 40.50165205
5 1 42.86477402
6 1 42.16742574
7 1 36.30242326
8 1 NaN
9 1 43.16995617
0 0 40.18654278
1 0 28.89449268
2 0 34.84818411
3 0 41.27225811
4 0 35.4363247
5 0 34.00800053
6 0 36.10055732
7 0 37.73898012
8 0 43.16995617
9 0 NaN
EOD
$panel2_heat0 << EOD
0 9 NaN
1 9 -53.87794048
2 9 -38.76246524
3 9 -42.48390511
4 9 -47.44771167
5 9 -43.34749038
6 9 -38.67895574
7 9 -45.59991698
8 9 -39.70088146
9 9 -45.72183374
0 8 -53.87794048
1 8 NaN
2 8 -43.59632783
3 8 -48.98540301
4 8 -48.45989298
5 8 -49.8898787
6 8 -49.58586999
7 8 -50.74763949
8 8 -48.60141835
9 8 -50.0691956
0 7 -38.76246524
1 7 -43.59632783
2 7 NaN
3 7 -36.78559557
4 7 -47.49304035
5 7 -41.58746844
6 7 -42.08802042
7 7 -51.31846758
8 7 -41.43755438
9 7 -49.80369836
0 6 -42.48390511
1 6 -48.98540301
2 6 -36.78559557
3 6 NaN
4 6 -48.61550231
5 6 -38.32493275
6 6 -44.72484517
7 6 -42.23834833
8 6 -38.66944585
9 6 -43.44734106
0 5 -47.44771167
1 5 -48.45989298
2 5 -47.49304035
3 5 -48.61550231
4 5 NaN
5 5 -41.90939772
6 5 -43.56903812
7 5 -44.66425915
8 5 -39.45817754
9 5 -42.42387472
0 4 -43.34749038
1 4 -49.8898787
2 4 -41.58746844
3 4 -38.32493275
4 4 -41.90939772
5 4 NaN
6 4 -45.19292644
7 4 -44.9196972
8 4 -33.09845108
9 4 -43.64704053
0 3 -38.67895574
1 3 -49.58586999
2 3 -42.08802042
3 3 -44.72484517
4 3 -43.56903812
5 3 -45.19292644
6 3 NaN
7 3 -49.12398776
8 3 -41.66772335
9 3 -46.63650268
0 2 -45.59991698
1 2 -50.74763949
2 2 -51.31846758
3 2 -42.23834833
4 2 -44.66425915
5 2 -44.9196972
6 2 -49.12398776
7 2 NaN
8 2 -45.88539948
9 2 -35.84732824
0 1 -39.70088146
1 1 -48.60141835
2 1 -41.43755438
3 1 -38.66944585
4 1 -39.45817754
5 1 -33.09845108
6 1 -41.66772335
7 1 -45.88539948
8 1 NaN
9 1 -39.44691758
0 0 -45.72183374
1 0 -50.0691956
2 0 -49.80369836
3 0 -43.44734106
4 0 -42.42387472
5 0 -43.64704053
6 0 -46.63650268
7 0 -35.84732824
8 0 -39.44691758
9 0 NaN
EOD
$panel3_heat0 << EOD
0 9 NaN
1 9 17.52343257
2 9 50.18460776
3 9 48.70985977
4 9 28.3264131
5 9 33.12712126
6 9 49.63496428
7 9 29.37509341
8 9 55.12020821
9 9 35.32137134
0 8 17.52343257
1 8 NaN
2 8 24.33246674
3 8 22.39495063
4 8 15.08403146
5 8 13.03854471
6 8 17.24711087
7 8 12.22436108
8 8 22.69400845
9 8 16.67475441
0 7 50.18460776
1 7 24.33246674
2 7 NaN
3 7 55.15207012
4 7 23.40577274
5 7 30.26414012
6 7 35.79446393
7 7 18.05872483
8 7 43.82328996
9 7 24.38364483
0 6 48.70985977
1 6 22.39495063
2 6 55.15207012
3 6 NaN
4 6 26.69594187
5 6 42.49058136
6 6 37.11269532
7 6 34.5992459
8 6 57.71908794
9 6 39.20605625
0 5 28.3264131
1 5 15.08403146
2 5 23.40577274
3 5 26.69594187
4 5 NaN
5 5 24.76177485
6 5 28.07070478
7 5 21.05746854
8 5 41.57271078
9 5 29.59967283
0 4 33.12712126
1 4 13.03854471
2 4 30.26414012
3 4 42.49058136
4 4 24.76177485
5 4 NaN
6 4 24.60010504
7 4 19.66796731
8 4 55.51281816
9 4 26.49764615
0 3 49.63496428
1 3 17.24711087
2 3 35.79446393
3 3 37.11269532
4 3 28.07070478
5 3 24.60010504
6 3 NaN
7 3 19.82680443
8 3 42.6731106
9 3 27.94484759
0 2 29.37509341
1 2 12.22436108
2 2 18.05872483
3 2 34.5992459
4 2 21.05746854
5 2 19.66796731
6 2 19.82680443
7 2 NaN
8 2 28.72080579
9 2 39.73044279
0 1 55.12020821
1 1 22.69400845
2 1 43.82328996
3 1 57.71908794
4 1 41.57271078
5 1 55.51281816
6 1 42.6731106
7 1 28.72080579
8 1 NaN
9 1 47.2443668
0 0 35.32137134
1 0 16.67475441
2 0 24.38364483
3 0 39.20605625
4 0 29.59967283
5 0 26.49764615
6 0 27.94484759
7 0 39.73044279
8 0 47.2443668
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
set cbrange [49.56523387:72.66099992] noextend
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
set cbrange [24.90697877:47.24368447] noextend
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
set cbrange [-53.87794048:-33.09845108] noextend
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
set cbrange [12.22436108:57.71908794] noextend
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
