# shellcheck shell=bash
# What a component shows to, and wants from, the program that loads it. Sourced; wants tally.sh.

# record_symbols FOLDER [PREFIX]: tests the two component files in FOLDER; PREFIX goes before the tests' names.
record_symbols()
{
    local folder=$1 prefix=${2:-} framework file symbols
    for framework in coll topo; do
        file=$folder/mca_${framework}_nbrhood.so
        symbols=$(nm -D --defined-only "$file" 2>&1 | awk '{ print $3 }')
        [ "$symbols" = "mca_${framework}_nbrhood_component" ]
        record $? "${prefix}the $framework component exports its struct and nothing else" "$symbols"
        [ -r "$file" ] && ! readelf -d "$file" | grep -qE 'NEEDED.*(libstdc\+\+|libgcc_s)'
        record $? "${prefix}the $framework component needs no shared C++ library"
    done
    # The linker keeps the names of everything inside, unless somebody stripped the file.
    file=$folder/mca_coll_nbrhood.so
    symbols=$(nm -C --defined-only "$file" | grep -oE 'nbrhood::(run_lockstep|build_all|prove|Flow|evaluate|lower_bound)\(|nbrhood::Flow::' | sort -u)
    nm -C --defined-only "$file" | grep -q 'nbrhood::build_direct' && [ -z "$symbols" ]
    record $? "${prefix}the coll component holds nothing of core/analysis" "$symbols"
}
