package frame

import "context"

// Provide gives the context of the current step, which must not exist yet, a value.
func (f *Frame) Provide(key, value any) {
	g := f.equip()
	g.setContext(context.WithValue(f.numbered(f.Outer()), key, value))
}

// Value returns the value for key of the nearest context outwards, nil if it has none.
// It makes no context, unlike [Frame.Outer], and so it doesn't know the number of an attempt
// whose context nobody has asked for.
func (f *Frame) Value(key any) any {
	for s := f.fiber; ; f = s.top {
		for p := f.outer; p != nil; p = p.outer {
			if g := p.resources; g != nil && g.hasContext() {
				return g.extras.base.Value(key)
			}
		}
		if s.parent() == nil {
			return s.run.Context().Value(key)
		}
		s = s.parent()
		if g := s.top.resources; g != nil && g.hasContext() {
			return g.extras.base.Value(key)
		}
	}
}
