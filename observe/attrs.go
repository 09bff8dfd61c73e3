package observe

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
)

// MaxAttrs is how many attributes a run keeps. Further attributes are dropped.
const MaxAttrs = 64

type attrsKey struct{}

// WithAttrs returns a context whose runs have attrs from their start, in addition to those that ctx has already. Examples
// are an order number, the ID of a trace, the name of a tenant. Runs that steps start with the context of their scope have
// the attributes too. An attribute replaces a former one of the same key; one with an empty key is left out.
//
// [Log], package observe/otel and package debug show attributes. WithAttrs calls the LogValue of a slog.LogValuer. A value of
// slog.KindAny is replaced at once by the text that fmt prints for it, which is cut off after 4 KiB. So the value may change
// afterwards, and its methods aren't called again. Of a group the first [MaxAttrs] members are kept, and of all groups in an
// attribute the first 1000. A group inside of eight others is replaced by "…". Any goroutine may call WithAttrs; without attrs it
// returns ctx.
func WithAttrs(ctx context.Context, attrs ...slog.Attr) context.Context {
	if ctx == nil || len(attrs) == 0 {
		return ctx
	}
	before, _ := ctx.Value(attrsKey{}).([]slog.Attr)
	return context.WithValue(ctx, attrsKey{}, merged(before, plain(attrs)))
}

// SetAttrs adds attributes to the run that ctx belongs to, for example something that a step has found out. In a body, ctx is
// step.Scope.Context; in the function of step.Await it is the context that the function got. The rules of [WithAttrs] hold,
// but runs that this run starts later don't inherit attrs.
//
// SetAttrs does nothing if ctx belongs to no run that is observed. Any goroutine may call it.
// Observers see the attributes from the next event on. After the end of the run there are no more
// events, and only [Run.Attrs] returns attributes that were set then.
func SetAttrs(ctx context.Context, attrs ...slog.Attr) {
	if ctx == nil || len(attrs) == 0 {
		return
	}
	id, _ := ctx.Value(runKey{}).(*identity)
	if id == nil {
		return
	}
	attrs = plain(attrs)
	for {
		old := id.attrs.Load()
		var before []slog.Attr
		if old != nil {
			before = *old
		}
		if all := merged(before, attrs); id.attrs.CompareAndSwap(old, &all) {
			return
		}
	}
}

// Attrs returns the present attributes of the run, in the order in which their keys were
// first set. Any goroutine may call it, even after the run. The slice is shared: don't
// change it.
func (r Run) Attrs() []slog.Attr {
	if r.id == nil {
		return nil
	}
	if all := r.id.attrs.Load(); all != nil {
		return *all
	}
	return nil
}

// identity is carried by the contexts of a run.
type identity struct {
	id    uint64
	attrs atomic.Pointer[[]slog.Attr] // replaced as a whole; nil is none
}

func identify(ctx context.Context) *identity {
	id := &identity{id: last.Add(1)}
	if attrs, _ := ctx.Value(attrsKey{}).([]slog.Attr); attrs != nil {
		id.attrs.Store(&attrs)
	}
	return id
}

// merged returns a new slice of before and added. An attribute of added replaces an attribute with the same key. Attributes with
// an empty key, and new ones beyond MaxAttrs, are left out.
func merged(before, added []slog.Attr) []slog.Attr {
	all := slices.Clone(before)
	for _, a := range added {
		at := slices.IndexFunc(all, func(known slog.Attr) bool { return known.Key == a.Key })
		switch {
		case a.Key == "":
		case at >= 0:
			all[at] = a
		case len(all) < MaxAttrs:
			all = append(all, a)
		}
	}
	return slices.Clip(all)
}
