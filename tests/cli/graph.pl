#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# graph.pl CONTEXTS REPORT: works out the figures of the call graph from the
# table of contexts, as graph.sh defines them, and compares them with those of
# the table ALLOCATION CALL GRAPH.  Prints how many there are; and if they are
# not the same, each that differs, with status 1.
#
# A figure is a line "node NAME SELF BYTES OTHERS OWN", of which the last two are
# calls by others and by itself, "arc CALLER CALLEE BYTES CALLS", "cycle MEMBERS
# SELF BYTES OUTSIDE INSIDE", "into CALLER MEMBERS BYTES CALLS" or "out MEMBERS
# CALLEE BYTES CALLS"; members are separated by commas.  Unknown calls are "?".

use strict;
use warnings;

# Adds CALLS to the sum that the reference SUM is to; nothing is 0.
sub add {
  my ($sum, $calls) = @_;
  $$sum = ($$sum // 0) eq '?' || $calls eq '?' ? '?' : ($$sum // 0) + $calls;
}

# Returns calls by others and by itself as the table has them: where the first
# are unknown it has neither, and unknown ones by itself are blank as 0 is.
sub both {
  my ($others, $own) = ($_[0] // 0, $_[1] // 0);
  return $others eq '?' ? ('?', '?') : ($others, $own eq '?' ? 0 : $own);
}

# Returns for each function in a cycle its members, by the callees of each.
sub cycles {
  my ($callees) = @_;
  my (%reached, %members);
  for my $from (keys %$callees) {
    my @stack = $from;
    while (defined(my $node = pop @stack)) {
      push @stack, grep { !$reached{$from}{$_}++ } keys %{$callees->{$node}};
    }
  }
  for my $one (keys %reached) {
    my @others = grep { $_ ne $one && $reached{$_}{$one} } keys %{$reached{$one}};
    $members{$one} = join ',', sort $one, @others if @others;
  }
  return %members;
}

# Returns the figures of the contexts in FILE.
sub from_chains {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my (@chains, %callees, %self, %sums, %calls);
  my @head = split /,/, <$in> =~ s/\r?\n//r;
  while (<$in>) {
    my ($chain, $cells) = /^"(.*)",([0-9,]*)\r?$/ or die "$file: $_";
    my @names = map { s/\\x3b/;/gr =~ s/\\\\/\\/gr =~ s/""/"/gr } split /;/, $chain;
    my %cell;
    @cell{@head[1 .. $#head]} = split /,/, $cells, -1;
    my $calls = $cell{calls} eq '' ? '?' : $cell{calls};
    push @chains, [$cell{bytes}, $calls, @names];
    for my $i (1 .. $#names) {
      $callees{$names[$i - 1]}{$names[$i]} = 1 if $cell{bytes} > 0;
    }
  }
  my %members = cycles(\%callees);
  for (@chains) {
    my ($bytes, $calls, @names) = @$_;
    my ($last, $caller) = @names[-1, -2];
    my %on; # what has the bytes of this chain
    for my $i (0 .. $#names) {
      my ($name, $before) = ($names[$i], $i > 0 ? $names[$i - 1] : undef);
      my ($cycle, $from) = ($members{$name}, $members{$before // ''});
      $on{"node\t$name"} = 1;
      $on{"cycle\t$cycle"} = 1 if $cycle;
      next if !defined $before;
      $on{"arc\t$before\t$name"} = 1 if $before ne $name;
      next if ($cycle // '') eq ($from // '');
      $on{"into\t$before\t$cycle"} = 1 if $cycle;
      $on{"out\t$from\t$name"} = 1 if $from;
    }
    $sums{$_} += $bytes for keys %on;
    # The calls are of the last function.
    my ($cycle, $from) = ($members{$last}, $members{$caller // ''});
    $self{"node\t$last"} += $bytes;
    add(\$calls{"node\t$last"}[($caller // '') eq $last], $calls);
    add(\$calls{"arc\t$caller\t$last"}[0], $calls) if defined $caller;
    if ($cycle) {
      $self{"cycle\t$cycle"} += $bytes;
      add(\$calls{"cycle\t$cycle"}[($from // '') eq $cycle], $calls);
    }
    next if !defined $caller || ($cycle // '') eq ($from // '');
    add(\$calls{"into\t$caller\t$cycle"}[0], $calls) if $cycle;
    add(\$calls{"out\t$from\t$last"}[0], $calls) if $from;
  }
  return map {
    my @calls = @{$calls{$_} // []};
    join "\t", $_, /^(node|cycle)/ ? ($self{$_} // 0, $sums{$_}, both(@calls))
      : ($sums{$_}, $calls[0] // 0)
  } grep { $sums{$_} > 0 } keys %sums;
}

# Returns the figures of the table in FILE.  Each relation of two functions
# stands there twice, and must be the same in both places; sums are checked here.
sub from_table {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my (%at, %figures, %members, $own, $merged, $listing, @relations, %sum, %all);
  my $end_entry = sub {
    for (@relations) {
      my ($side, $other, $bytes, $calls) = @$_;
      my $kind = !$merged ? 'arc' : $side eq 'caller' ? 'into' : 'out';
      my @pair = $side eq 'caller' ? ($other, $own) : ($own, $other);
      $figures{join "\t", $kind, @pair, $bytes, $calls} = 1 if $bytes > 0;
    }
    for (grep { defined $own && ($sum{$_} // 0) != $all{$_} } keys %all) {
      $figures{"wrong sum of ${_}s of $own: $sum{$_}, not $all{$_}"} = 1;
    }
    ($own, $merged, $listing) = ();
    @relations = %sum = %all = ();
  };
  while (<$in>) {
    chomp;
    if (/^index /) {
      my $head = $_;
      $at{$_} = index $head, $_ for qw(self called /total name);
      next;
    }
    next if !%at;
    last if $_ eq '';
    if (/^-+$/) { $end_entry->(); next }
    my ($name) = substr($_, $at{name}) =~ /^(.*)$/;
    my $bare = $name =~ s/^ *//r =~ s/ <cycle [0-9]+>$//r =~ s/ \[[0-9]+\]$//r;
    my ($bytes) = substr($_, 0, $at{name} - 5) =~ /(\S+)\s*$/;
    my $before = substr $_, 0, $at{self} + 4;
    my ($self) = $before =~ /(\S+)\s*$/;
    my $line = $_;
    my ($others, $more) = map {
      my $cell = substr($line, $at{$_}, 6) =~ tr{ +/}{}dr;
      $cell eq '' ? '?' : $cell
    } qw(called /total);
    $more = 0 if $more eq '?' && $others ne '?';
    if (/^\[/) {
      if ($name =~ /^members of <cycle (.*)>$/) { $listing = $1; next }
      if ($name =~ /^<cycle ([0-9]+)> as one/) { ($own, $merged) = ("<$1>", 1) }
      else { $own = $bare }
      $figures{join "\t", $merged ? 'cycle' : 'node', $own, $self, $bytes,
               $others, $more} = 1 if $bytes > 0;
    } elsif (defined $listing) {
      push @{$members{"<$listing>"}}, $bare;
    } else {
      my $side = defined $own ? 'callee' : 'caller';
      if ($name eq '    all') { $all{$side} = $bytes; next }
      $sum{$side} += $bytes if $before !~ /\*/; # else within a cycle
      push @relations, [$side, $bare, $bytes, $others] if $name ne '    <root>';
    }
  }
  $end_entry->();
  return map {
    join "\t", map { $members{$_} ? join ',', sort @{$members{$_}} : $_ }
      split /\t/
  } keys %figures;
}

my %wanted = map { $_ => 1 } from_chains($ARGV[0]);
my %found = map { $_ => 1 } from_table($ARGV[1]);
my @wrong = ((map { "not in the table: $_" } grep { !$found{$_} } keys %wanted),
             (map { "only in the table: $_" } grep { !$wanted{$_} } keys %found));
printf "%d figures, %d cycles\n", scalar keys %wanted,
  scalar grep { /^cycle/ } keys %wanted;
print map { "# $_\n" } sort @wrong;
exit(@wrong > 0 || !%wanted);
