# SPDX-License-Identifier: LGPL-2.1-or-later
#
# words.pl N: a hash of N words, sorted and taken apart.
my %h;
for my $i (1..$ARGV[0]) { $h{"key$i"} = [ $i, "v" x ($i % 40) ]; }
my $n = 0;
for my $k (sort keys %h) {
  my @a = split /(?<=\d)/, $k;
  $n += @a + length $h{$k}[1];
}
print "$n\n";
