package flow

import "slices"

// pair returns the Changes that cover both lists: one for each pair of an old step and the new step that it has become, and
// one for each step without a partner. It compares in several ways, each looser than the one before. A looser way pairs only
// steps in the gaps between the pairs of the stricter ways, so pairs never cross.
func pair(before, after []*Tree) []Change {
	return between(before, after, []func(a, b *Tree) bool{
		func(a, b *Tree) bool { return a.Digest == b.Digest && slices.Equal(a.Parameters, b.Parameters) },
		func(a, b *Tree) bool { return a.Digest == b.Digest },
		func(a, b *Tree) bool { return a.Role == b.Role && a.Kind == b.Kind && a.Name == b.Name },
		func(a, b *Tree) bool { return a.Role == b.Role },
	})
}

// between pairs steps by the first of ways, and the steps that are left between these pairs by the other ways.
func between(before, after []*Tree, ways []func(a, b *Tree) bool) []Change {
	var changes []Change
	if len(ways) == 0 || len(before) == 0 || len(after) == 0 {
		for _, t := range before {
			changes = append(changes, Change{Old: t})
		}
		for _, t := range after {
			changes = append(changes, Change{New: t})
		}
		return changes
	}
	way, looser := ways[0], ways[1:]
	i, j := 0, 0
	for _, p := range align(before, after, way) {
		changes = append(changes, between(before[i:p[0]], after[j:p[1]], looser)...)
		changes = append(changes, Change{before[p[0]], after[p[1]]})
		i, j = p[0]+1, p[1]+1
	}
	return append(changes, between(before[i:], after[j:], looser)...)
}

// align returns the pairs of indexes of a longest common subsequence of a and b. If a and b are very long, the subsequence
// may be shorter, see subsequence.
func align(a, b []*Tree, equal func(a, b *Tree) bool) [][2]int {
	// Most steps of a level haven't changed: the common steps at both ends need no table.
	head := 0
	for head < len(a) && head < len(b) && equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	pairs := make([][2]int, 0, head+tail)
	for i := range head {
		pairs = append(pairs, [2]int{i, i})
	}
	for _, p := range subsequence(a[head:len(a)-tail], b[head:len(b)-tail], equal) {
		pairs = append(pairs, [2]int{head + p[0], head + p[1]})
	}
	for i := range tail {
		pairs = append(pairs, [2]int{len(a) - tail + i, len(b) - tail + i})
	}
	return pairs
}

// tableLimit bounds len(a)*len(b) in subsequence, so that its table takes about 8 MiB at most.
const tableLimit = 1 << 20

// subsequence does the work of align with a table of lengths. For sequences too long for tableLimit it only finds
// elements that are equal at the same index.
func subsequence(a, b []*Tree, equal func(a, b *Tree) bool) [][2]int {
	var pairs [][2]int
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return nil
	}
	if n > tableLimit/m {
		for i := range min(n, m) {
			if equal(a[i], b[i]) {
				pairs = append(pairs, [2]int{i, i})
			}
		}
		return pairs
	}
	best := make([]int32, (n+1)*(m+1)) // at i*(m+1)+j: the greatest length for a[i:] and b[j:]
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			at := i*(m+1) + j
			if equal(a[i], b[j]) {
				best[at] = best[at+m+2] + 1
			} else {
				best[at] = max(best[at+m+1], best[at+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch at := i*(m+1) + j; {
		case equal(a[i], b[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[at+m+1] >= best[at+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
