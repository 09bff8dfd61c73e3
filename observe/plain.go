package observe

import (
	"log/slog"
	"strings"
)

const (
	maxAttrText    = 4 << 10 // bytes of the text of a value of the program's own type
	maxAttrGroups  = 8       // groups nested in each other
	maxAttrMembers = 1000    // members of all groups in an attribute
)

// plain returns attrs with texts in place of values of the program's own types. So an attribute doesn't keep such a value alive, and
// is shown later, on a loop or a page, without calls of code of the program, which might take long or panic.
func plain(attrs []slog.Attr) []slog.Attr {
	all := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		room := maxAttrMembers
		all[i] = slog.Attr{Key: a.Key, Value: plainValue(a.Value, 0, &room)}
	}
	return all
}

// plainValue does the work of plain for a value inside of depth groups. room is how many members of groups are still kept.
func plainValue(v slog.Value, depth int, room *int) slog.Value {
	v = v.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		if depth == maxAttrGroups {
			return slog.StringValue("…")
		}
		members := v.Group()
		var all []slog.Attr
		for _, m := range members[:min(len(members), MaxAttrs)] {
			if *room == 0 {
				break
			}
			*room--
			all = append(all, slog.Attr{Key: m.Key, Value: plainValue(m.Value, depth+1, room)})
		}
		return slog.GroupValue(all...)
	case slog.KindAny:
		if v.Any() == nil {
			return v
		}
		text := v.String() // String calls fmt, which catches a panic
		if len(text) > maxAttrText {
			text = strings.ToValidUTF8(text[:maxAttrText], "") + "…"
		}
		return slog.StringValue(text)
	default:
		return v
	}
}
