#!/usr/bin/env perl
# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# Generates configure and the Makefile.in files. Needed only in a checkout; same name and use as Open MPI's.
use strict;
use warnings;
use File::Basename qw(dirname);

chdir(dirname($0)) or die "autogen.pl: cannot enter its own directory: $!\n";

sub in_path {
    my ($tool) = @_;
    return grep { -x "$_/$tool" } split(/:/, $ENV{PATH} // '');
}

my %package_of = (
    autoreconf => 'autoconf',
    automake   => 'automake',
    libtoolize => 'libtool',
    m4         => 'm4',
);
my @missing = grep { !in_path($_) } sort keys %package_of;
if (@missing) {
    my $packages = join(' ', map { $package_of{$_} } @missing);
    die "autogen.pl: not found in PATH: @missing; install the packages $packages and run it again.\n";
}

# -i copies the helper scripts, -f makes a second run start afresh.
system('autoreconf', '-ivf') == 0
    or die "autogen.pl: autoreconf failed; its messages above say where.\n";
print "autogen.pl: done, now run ./configure\n";
