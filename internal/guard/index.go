package guard

// index answers two questions about a [Line] in logarithmic time: where a ticket of some rank belongs, and what the largest
// weight is among a ticket and those before it. It is a search tree in the order of the line, and a heap by random heights,
// which keeps the tree flat. It is empty in a Line without ranks and weights.
type index struct {
	root *leaf
	last uint64 // the height drawn last
}

// leaf is a ticket in the index of a Line.
type leaf struct {
	of              *Ticket
	up, left, right *leaf
	height          uint64
	most            int // the largest weight of the leaf and of those below it
}

// place returns the last ticket whose rank is n or higher, nil if there is none. The line is in the order of ranks.
func (x *index) place(n int64) (prev *Ticket) {
	for l := x.root; l != nil; {
		if l.of.Rank >= n {
			prev, l = l.of, l.right
		} else {
			l = l.left
		}
	}
	return prev
}

// add inserts l, which isn't in x yet, behind prev, or as the first leaf if prev is nil.
func (x *index) add(prev, l *leaf) {
	x.last = x.last*6364136223846793005 + 1442695040888963407 // its high bits are random enough, and the same each time
	*l = leaf{of: l.of, height: x.last, most: l.of.Weight()}
	switch {
	case x.root == nil:
		x.root = l
		return
	case prev == nil:
		at := x.root
		for at.left != nil {
			at = at.left
		}
		at.left, l.up = l, at
	case prev.right == nil:
		prev.right, l.up = l, prev
	default:
		at := prev.right
		for at.left != nil {
			at = at.left
		}
		at.left, l.up = l, at
	}
	for l.up != nil && l.up.height < l.height {
		x.rise(l)
	}
	l.up.weigh()
}

// rise rotates l above its parent.
func (x *index) rise(l *leaf) {
	down := l.up
	x.replace(down, l)
	if down.left == l {
		down.left, l.right = l.right, down
		down.left.under(down)
	} else {
		down.right, l.left = l.left, down
		down.right.under(down)
	}
	down.up = l
	down.measure()
	l.measure()
}

func (x *index) remove(l *leaf) {
	for l.left != nil && l.right != nil {
		if l.left.height > l.right.height {
			x.rise(l.left)
		} else {
			x.rise(l.right)
		}
	}
	next := l.left
	if next == nil {
		next = l.right
	}
	x.replace(l, next)
	l.up.weigh()
	*l = leaf{of: l.of}
}

// replace puts l, which may be nil, where old is.
func (x *index) replace(old, l *leaf) {
	switch up := old.up; {
	case up == nil:
		x.root = l
	case up.left == old:
		up.left = l
	default:
		up.right = l
	}
	l.under(old.up)
}

func (l *leaf) under(up *leaf) {
	if l != nil {
		l.up = up
	}
}

// weigh measures l and all above it; l may be nil.
func (l *leaf) weigh() {
	for ; l != nil; l = l.up {
		l.measure()
	}
}

func (l *leaf) measure() {
	l.most = l.of.Weight()
	if l.left != nil {
		l.most = max(l.most, l.left.most)
	}
	if l.right != nil {
		l.most = max(l.most, l.right.most)
	}
}

// mostUpTo returns the largest weight of l and of the leaves before it.
func (l *leaf) mostUpTo() int {
	most := l.of.Weight()
	if l.left != nil {
		most = max(most, l.left.most)
	}
	for ; l.up != nil; l = l.up {
		if l == l.up.left {
			continue
		}
		most = max(most, l.up.of.Weight())
		if l.up.left != nil {
			most = max(most, l.up.left.most)
		}
	}
	return most
}
