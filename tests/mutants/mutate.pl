#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mutate.pl list SEED COUNT FILE...: chooses COUNT small faults in C files by
# the seed and prints one line `FILE LINE KIND' for each, no two in one line
# of a file.
# mutate.pl apply FILE LINE KIND: makes that fault in FILE, and prints the line
# before and after.
#
# Kinds: negate (the condition of an if), relation (< for <=, == for !=, and
# so on), one (+ 1 or - 1 left out), logic (&& for ||), call (a call whose
# result nobody uses is left out).

use strict;
use warnings;

my %turned = ('<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>',
              '==' => '!=', '!=' => '==');
my %kinds = (
  negate => sub { $_[0] =~ s/^(\s+(?:\} else )?if )(\(.*\))( \{|)$/$1(!$2)$3/ },
  relation => sub { $_[0] =~ s/ (<|<=|>|>=|==|!=) / $turned{$1} / },
  one => sub { $_[0] =~ s/ [-+] 1\b(?!\.)// },
  logic => sub { $_[0] =~ s/ (&&|\|\|)/$1 eq '&&' ? ' ||' : ' &&'/e },
  call => sub { $_[0] =~ s/^(\s+)[a-z_]+\(.*\);$/$1;/ },
);

sub lines {
  my ($file) = @_;
  open my $in, '<', $file or die "mutate.pl: $file: $!\n";
  return <$in>;
}

# Return the places of a file: pairs of a line number and a kind.  Lines of
# comments, of macros and outside of functions are none.
sub places {
  my @lines = lines($_[0]);
  my ($comment, $macro, @places) = (0, 0);
  for my $number (1 .. @lines) {
    chomp(my $line = $lines[$number - 1]);
    $comment = 1 if $line =~ m{^\s*/\*};
    if (!$comment && !$macro && $line =~ /^ / && $line !~ m{/\*|static_assert}) {
      for my $kind (sort keys %kinds) {
        my $copy = $line;
        push @places, [$number, $kind] if $kinds{$kind}->($copy);
      }
    }
    $macro = $line =~ /\\$/;
    $comment = 0 if $line =~ m{\*/};
  }
  return @places;
}

my $command = shift // '';
if ($command eq 'list') {
  my ($seed, $count, @files) = @ARGV;
  my @all = map { my $file = $_; map { "$file @$_" } places($file) } @files;
  my %taken;
  srand $seed;
  while ($count > 0 && @all) {
    my $place = splice @all, int(rand(@all)), 1;
    my ($line) = $place =~ /^(.*) /;
    next if $taken{$line}++;
    print "$place\n";
    $count--;
  }
} elsif ($command eq 'apply') {
  my ($file, $number, $kind) = @ARGV;
  my @lines = lines($file);
  chomp(my $line = my $before = $lines[$number - 1]);
  $kinds{$kind}->($line) or die "mutate.pl: $file:$number: no $kind there\n";
  $lines[$number - 1] = "$line\n";
  open my $out, '>', $file or die "mutate.pl: $file: $!\n";
  print $out @lines;
  close $out or die "mutate.pl: $file: $!\n";
  s/^\s+// for $before, $line;
  print "- $before+ $line\n";
} else {
  die "usage: mutate.pl list SEED COUNT FILE... | apply FILE LINE KIND\n";
}
