# Figure fig_mnist_similarity, drawn by yatlab: gnuplot -c fig_mnist_similarity.gp svg|pdf|png
set encoding utf8
set datafile missing 'NaN'
$panel0_heat0 << EOD
0 9 NaN
1 9 27.913459
2 9 49.3614981
3 9 42.18160703
4 9 35.55633926
5 9 38.54124207
6 9 49.22469671
7 9 37.56135009
8 9 47.37343144
9 9 31.47754285
0 8 27.913459
1 8 NaN
2 8 45.87520929
3 8 41.15307542
4 8 33.5785155
5 8 28.18191411
6 8 33.79454943
7 8 27.97876011
8 8 37.62676161
9 8 27.82247251
0 7 49.3614981
1 7 45.87520929
2 7 NaN
3 7 52.73510227
4 7 31.89163653
5 7 37.11000271
6 7 40.93856804
7 7 27.69023148
8 7 42.08936121
9 7 22.40491999
0 6 42.18160703
1 6 41.15307542
2 6 52.73510227
3 6 NaN
4 6 29.85315811
5 6 43.72276752
6 6 34.71430845
7 6 47.86937321
8 6 39.95294721
9 6 36.83676739
0 5 35.55633926
1 5 33.5785155
2 5 31.89163653
3 5 29.85315811
4 5 NaN
5 5 34.97658851
6 5 39.07725895
7 5 32.94978554
8 5 49.63032209
9 5 38.14474824
0 4 38.54124207
1 4 28.18191411
2 4 37.11000271
3 4 43.72276752
4 4 34.97658851
5 4 NaN
6 4 34.61981252
7 4 30.8935972
8 4 53.12627669
9 4 32.18018039
0 3 49.22469671
1 3 33.79454943
2 3 40.93856804
3 3 34.71430845
4 3 39.07725895
5 3 34.61981252
6 3 NaN
7 3 26.09764504
8 3 41.50033085
9 3 27.51512261
0 2 37.56135009
1 2 27.97876011
2 2 27.69023148
3 2 47.86937321
4 2 32.94978554
5 2 30.8935972
6 2 26.09764504
7 2 NaN
8 2 29.29884073
9 2 51.15636068
0 1 47.37343144
1 1 37.62676161
2 1 42.08936121
3 1 39.95294721
4 1 49.63032209
5 1 53.12627669
6 1 41.50033085
7 1 29.29884073
8 1 NaN
9 1 38.38240215
0 0 31.47754285
1 0 27.82247251
2 0 22.40491999
3 0 36.83676739
4 0 38.14474824
5 0 32.18018039
6 0 27.51512261
7 0 51.15636068
8 0 38.38240215
9 0 NaN
EOD
$panel1_heat0 << EOD
0 9 NaN
1 9 3.291017113
2 9 16.96153714
3 9 10.45286434
4 9 6.11811521
5 9 8.436325933
6 9 15.78114804
7 9 7.942153291
8 9 12.39354539
9 9 4.586325221
0 8 3.291017113
1 8 NaN
2 8 13.60520392
3 8 9.695794983
4 8 5.255917858
5 8 3.83717614
6 8 5.668456292
7 8 3.797609699
8 8 6.556740898
9 8 3.376806289
0 7 16.96153714
1 7 13.60520392
2 7 NaN
3 7 23.79839019
4 7 5.413339807
5 7 9.184572837
6 7 11.09114168
7 7 4.487762979
8 7 10.11198451
9 7 2.398853499
0 6 10.45286434
1 6 9.695794983
2 6 23.79839019
3 6 NaN
4 6 4.40990492
5 6 13.50123579
6 6 6.877580642
7 6 17.61242147
8 6 8.483319844
9 6 7.601588377
0 5 6.11811521
1 5 5.255917858
2 5 5.413339807
3 5 4.40990492
4 5 NaN
5 5 6.711283137
6 5 8.459075102
7 5 5.819095818
8 5 14.42713627
9 5 7.594787509
0 4 8.436325933
1 4 3.83717614
2 4 9.184572837
3 4 13.50123579
4 4 6.711283137
5 4 NaN
6 4 7.046564717
7 4 5.732565995
8 4 19.50208333
9 4 5.563312582
0 3 15.78114804
1 3 5.668456292
2 3 11.09114168
3 3 6.877580642
4 3 8.459075102
5 3 7.046564717
6 3 NaN
7 3 3.572241498
8 3 9.172698133
9 3 3.594131154
0 2 7.942153291
1 2 3.797609699
2 2 4.487762979
3 2 17.61242147
4 2 5.819095818
5 2 5.732565995
6 2 3.572241498
7 2 NaN
8 2 4.011973676
9 2 19.58240551
0 1 12.39354539
1 1 6.556740898
2 1 10.11198451
3 1 8.483319844
4 1 14.42713627
5 1 19.50208333
6 1 9.172698133
7 1 4.011973676
8 1 NaN
9 1 7.168795327
0 0 4.586325221
1 0 3.376806289
2 0 2.398853499
3 0 7.601588377
4 0 7.594787509
5 0 5.563312582
6 0 3.594131154
7 0 19.58240551
8 0 7.168795327
9 0 NaN
EOD
$panel2_heat0 << EOD
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
set output 'fig_mnist_similarity'.'.'.format
set multiplot

reset
set lmargin at screen 0.05264387217
set rmargin at screen 0.4659772055
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label 'Linear prototypes under the cosine (unit 10⁻²)' at screen 0.2593105388,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 3 of 45 pairs' at screen 0.2593105388,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [22.40491999:53.12627669] noextend
unset key
set label '28' at first 1,9 center front tc rgb '#ffffff'
set label '49' at first 2,9 center front tc rgb '#000000'
set label '42' at first 3,9 center front tc rgb '#000000'
set label '36' at first 4,9 center front tc rgb '#ffffff'
set label '39' at first 5,9 center front tc rgb '#000000'
set label '49' at first 6,9 center front tc rgb '#000000'
set label '38' at first 7,9 center front tc rgb '#000000'
set label '47' at first 8,9 center front tc rgb '#000000'
set label '31' at first 9,9 center front tc rgb '#ffffff'
set label '28' at first 0,8 center front tc rgb '#ffffff'
set label '46' at first 2,8 center front tc rgb '#000000'
set label '41' at first 3,8 center front tc rgb '#000000'
set label '34' at first 4,8 center front tc rgb '#ffffff'
set label '28' at first 5,8 center front tc rgb '#ffffff'
set label '34' at first 6,8 center front tc rgb '#ffffff'
set label '28' at first 7,8 center front tc rgb '#ffffff'
set label '38' at first 8,8 center front tc rgb '#000000'
set label '28' at first 9,8 center front tc rgb '#ffffff'
set label '49' at first 0,7 center front tc rgb '#000000'
set label '46' at first 1,7 center front tc rgb '#000000'
set label '53' at first 3,7 center front tc rgb '#000000'
set label '32' at first 4,7 center front tc rgb '#ffffff'
set label '37' at first 5,7 center front tc rgb '#000000'
set label '41' at first 6,7 center front tc rgb '#000000'
set label '28' at first 7,7 center front tc rgb '#ffffff'
set label '42' at first 8,7 center front tc rgb '#000000'
set label '22' at first 9,7 center front tc rgb '#ffffff'
set label '42' at first 0,6 center front tc rgb '#000000'
set label '41' at first 1,6 center front tc rgb '#000000'
set label '53' at first 2,6 center front tc rgb '#000000'
set label '30' at first 4,6 center front tc rgb '#ffffff'
set label '44' at first 5,6 center front tc rgb '#000000'
set label '35' at first 6,6 center front tc rgb '#ffffff'
set label '48' at first 7,6 center front tc rgb '#000000'
set label '40' at first 8,6 center front tc rgb '#000000'
set label '37' at first 9,6 center front tc rgb '#000000'
set label '36' at first 0,5 center front tc rgb '#ffffff'
set label '34' at first 1,5 center front tc rgb '#ffffff'
set label '32' at first 2,5 center front tc rgb '#ffffff'
set label '30' at first 3,5 center front tc rgb '#ffffff'
set label '35' at first 5,5 center front tc rgb '#ffffff'
set label '39' at first 6,5 center front tc rgb '#000000'
set label '33' at first 7,5 center front tc rgb '#ffffff'
set label '50' at first 8,5 center front tc rgb '#000000'
set label '38' at first 9,5 center front tc rgb '#000000'
set label '39' at first 0,4 center front tc rgb '#000000'
set label '28' at first 1,4 center front tc rgb '#ffffff'
set label '37' at first 2,4 center front tc rgb '#000000'
set label '44' at first 3,4 center front tc rgb '#000000'
set label '35' at first 4,4 center front tc rgb '#ffffff'
set label '35' at first 6,4 center front tc rgb '#ffffff'
set label '31' at first 7,4 center front tc rgb '#ffffff'
set label '53' at first 8,4 center front tc rgb '#000000'
set label '32' at first 9,4 center front tc rgb '#ffffff'
set label '49' at first 0,3 center front tc rgb '#000000'
set label '34' at first 1,3 center front tc rgb '#ffffff'
set label '41' at first 2,3 center front tc rgb '#000000'
set label '35' at first 3,3 center front tc rgb '#ffffff'
set label '39' at first 4,3 center front tc rgb '#000000'
set label '35' at first 5,3 center front tc rgb '#ffffff'
set label '26' at first 7,3 center front tc rgb '#ffffff'
set label '42' at first 8,3 center front tc rgb '#000000'
set label '28' at first 9,3 center front tc rgb '#ffffff'
set label '38' at first 0,2 center front tc rgb '#000000'
set label '28' at first 1,2 center front tc rgb '#ffffff'
set label '28' at first 2,2 center front tc rgb '#ffffff'
set label '48' at first 3,2 center front tc rgb '#000000'
set label '33' at first 4,2 center front tc rgb '#ffffff'
set label '31' at first 5,2 center front tc rgb '#ffffff'
set label '26' at first 6,2 center front tc rgb '#ffffff'
set label '29' at first 8,2 center front tc rgb '#ffffff'
set label '51' at first 9,2 center front tc rgb '#000000'
set label '47' at first 0,1 center front tc rgb '#000000'
set label '38' at first 1,1 center front tc rgb '#000000'
set label '42' at first 2,1 center front tc rgb '#000000'
set label '40' at first 3,1 center front tc rgb '#000000'
set label '50' at first 4,1 center front tc rgb '#000000'
set label '53' at first 5,1 center front tc rgb '#000000'
set label '42' at first 6,1 center front tc rgb '#000000'
set label '29' at first 7,1 center front tc rgb '#ffffff'
set label '38' at first 9,1 center front tc rgb '#000000'
set label '31' at first 0,0 center front tc rgb '#ffffff'
set label '28' at first 1,0 center front tc rgb '#ffffff'
set label '22' at first 2,0 center front tc rgb '#ffffff'
set label '37' at first 3,0 center front tc rgb '#000000'
set label '38' at first 4,0 center front tc rgb '#000000'
set label '32' at first 5,0 center front tc rgb '#ffffff'
set label '28' at first 6,0 center front tc rgb '#ffffff'
set label '51' at first 7,0 center front tc rgb '#000000'
set label '38' at first 8,0 center front tc rgb '#000000'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel0_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5526438722
set rmargin at screen 0.9659772055
set bmargin at screen 0.5664285714
set tmargin at screen 0.965
set label 'Linear prototypes under {/:Normal=9.6 ⵟ}' at screen 0.7593105388,0.9846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 2 of 45 pairs' at screen 0.7593105388,0.5167857143 center front
unset border
unset colorbox
set palette defined (0 '#440154', 0.2 '#414487', 0.4 '#2a788e', 0.6 '#22a884', 0.8 '#7ad151', 1 '#fde725')
set cbrange [2.398853499:23.79839019] noextend
unset key
set label '3' at first 1,9 center front tc rgb '#ffffff'
set label '17' at first 2,9 center front tc rgb '#000000'
set label '10' at first 3,9 center front tc rgb '#ffffff'
set label '6' at first 4,9 center front tc rgb '#ffffff'
set label '8' at first 5,9 center front tc rgb '#ffffff'
set label '16' at first 6,9 center front tc rgb '#000000'
set label '8' at first 7,9 center front tc rgb '#ffffff'
set label '12' at first 8,9 center front tc rgb '#000000'
set label '5' at first 9,9 center front tc rgb '#ffffff'
set label '3' at first 0,8 center front tc rgb '#ffffff'
set label '14' at first 2,8 center front tc rgb '#000000'
set label '10' at first 3,8 center front tc rgb '#ffffff'
set label '5' at first 4,8 center front tc rgb '#ffffff'
set label '4' at first 5,8 center front tc rgb '#ffffff'
set label '6' at first 6,8 center front tc rgb '#ffffff'
set label '4' at first 7,8 center front tc rgb '#ffffff'
set label '7' at first 8,8 center front tc rgb '#ffffff'
set label '3' at first 9,8 center front tc rgb '#ffffff'
set label '17' at first 0,7 center front tc rgb '#000000'
set label '14' at first 1,7 center front tc rgb '#000000'
set label '24' at first 3,7 center front tc rgb '#000000'
set label '5' at first 4,7 center front tc rgb '#ffffff'
set label '9' at first 5,7 center front tc rgb '#ffffff'
set label '11' at first 6,7 center front tc rgb '#ffffff'
set label '4' at first 7,7 center front tc rgb '#ffffff'
set label '10' at first 8,7 center front tc rgb '#ffffff'
set label '2' at first 9,7 center front tc rgb '#ffffff'
set label '10' at first 0,6 center front tc rgb '#ffffff'
set label '10' at first 1,6 center front tc rgb '#ffffff'
set label '24' at first 2,6 center front tc rgb '#000000'
set label '4' at first 4,6 center front tc rgb '#ffffff'
set label '14' at first 5,6 center front tc rgb '#000000'
set label '7' at first 6,6 center front tc rgb '#ffffff'
set label '18' at first 7,6 center front tc rgb '#000000'
set label '8' at first 8,6 center front tc rgb '#ffffff'
set label '8' at first 9,6 center front tc rgb '#ffffff'
set label '6' at first 0,5 center front tc rgb '#ffffff'
set label '5' at first 1,5 center front tc rgb '#ffffff'
set label '5' at first 2,5 center front tc rgb '#ffffff'
set label '4' at first 3,5 center front tc rgb '#ffffff'
set label '7' at first 5,5 center front tc rgb '#ffffff'
set label '8' at first 6,5 center front tc rgb '#ffffff'
set label '6' at first 7,5 center front tc rgb '#ffffff'
set label '14' at first 8,5 center front tc rgb '#000000'
set label '8' at first 9,5 center front tc rgb '#ffffff'
set label '8' at first 0,4 center front tc rgb '#ffffff'
set label '4' at first 1,4 center front tc rgb '#ffffff'
set label '9' at first 2,4 center front tc rgb '#ffffff'
set label '14' at first 3,4 center front tc rgb '#000000'
set label '7' at first 4,4 center front tc rgb '#ffffff'
set label '7' at first 6,4 center front tc rgb '#ffffff'
set label '6' at first 7,4 center front tc rgb '#ffffff'
set label '20' at first 8,4 center front tc rgb '#000000'
set label '6' at first 9,4 center front tc rgb '#ffffff'
set label '16' at first 0,3 center front tc rgb '#000000'
set label '6' at first 1,3 center front tc rgb '#ffffff'
set label '11' at first 2,3 center front tc rgb '#ffffff'
set label '7' at first 3,3 center front tc rgb '#ffffff'
set label '8' at first 4,3 center front tc rgb '#ffffff'
set label '7' at first 5,3 center front tc rgb '#ffffff'
set label '4' at first 7,3 center front tc rgb '#ffffff'
set label '9' at first 8,3 center front tc rgb '#ffffff'
set label '4' at first 9,3 center front tc rgb '#ffffff'
set label '8' at first 0,2 center front tc rgb '#ffffff'
set label '4' at first 1,2 center front tc rgb '#ffffff'
set label '4' at first 2,2 center front tc rgb '#ffffff'
set label '18' at first 3,2 center front tc rgb '#000000'
set label '6' at first 4,2 center front tc rgb '#ffffff'
set label '6' at first 5,2 center front tc rgb '#ffffff'
set label '4' at first 6,2 center front tc rgb '#ffffff'
set label '4' at first 8,2 center front tc rgb '#ffffff'
set label '20' at first 9,2 center front tc rgb '#000000'
set label '12' at first 0,1 center front tc rgb '#000000'
set label '7' at first 1,1 center front tc rgb '#ffffff'
set label '10' at first 2,1 center front tc rgb '#ffffff'
set label '8' at first 3,1 center front tc rgb '#ffffff'
set label '14' at first 4,1 center front tc rgb '#000000'
set label '20' at first 5,1 center front tc rgb '#000000'
set label '9' at first 6,1 center front tc rgb '#ffffff'
set label '4' at first 7,1 center front tc rgb '#ffffff'
set label '7' at first 9,1 center front tc rgb '#ffffff'
set label '5' at first 0,0 center front tc rgb '#ffffff'
set label '3' at first 1,0 center front tc rgb '#ffffff'
set label '2' at first 2,0 center front tc rgb '#ffffff'
set label '8' at first 3,0 center front tc rgb '#ffffff'
set label '8' at first 4,0 center front tc rgb '#ffffff'
set label '6' at first 5,0 center front tc rgb '#ffffff'
set label '4' at first 6,0 center front tc rgb '#ffffff'
set label '20' at first 7,0 center front tc rgb '#000000'
set label '7' at first 8,0 center front tc rgb '#ffffff'
set object rectangle from first 8.53,1.53 to first 9.47,2.47 front fs empty border lc rgb '#d55e00' lw 1.4
set object rectangle from first 6.53,-0.47 to first 7.47,0.47 front fs empty border lc rgb '#d55e00' lw 1.4
plot $panel1_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.05264387217
set rmargin at screen 0.4659772055
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label '{/:Normal=9.6 ⵟ} prototypes under the cosine (unit 10⁻²)' at screen 0.2593105388,0.4846428571 center front
set xrange [-0.5:9.5] noextend
set xtics  nomirror scale 0,0 norotate ('0' 0, '1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8, '9' 9)
set yrange [-0.5:9.5] noextend
set ytics  nomirror scale 0,0 norotate ('0' 9, '1' 8, '2' 7, '3' 6, '4' 5, '5' 4, '6' 3, '7' 2, '8' 1, '9' 0)
set label '7–9: rank 10 of 45 pairs' at screen 0.2593105388,0.01678571429 center front
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
plot $panel2_heat0 using 1:2:(0.5):(0.5):3 with boxxyerror lw 0.8 fc palette fs solid 1 border lc rgb '#ffffff' notitle

reset
set lmargin at screen 0.5526438722
set rmargin at screen 0.9659772055
set bmargin at screen 0.06642857143
set tmargin at screen 0.465
set label '{/:Normal=9.6 ⵟ} prototypes under {/:Normal=9.6 ⵟ}' at screen 0.7593105388,0.4846428571 center front
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
