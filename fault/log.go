package fault

import "log/slog"

// LogValue returns a group for package slog with the attributes code, info, path, name, site,
// cause, secondary and, after a panic, stack. Attributes without a value are left out. Each text
// but the stack is a single line.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.Value{}
	}
	attrs := []slog.Attr{slog.String("code", line(e.Code.Error()))}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("info", line(e.Info))
	add("path", line(e.Path))
	add("name", line(e.Name))
	add("site", line(e.Site.String()))
	if cause := e.further(); cause != nil {
		add("cause", text(cause))
	}
	if len(e.Secondary) > 0 {
		texts := make([]string, len(e.Secondary))
		for i, err := range e.Secondary {
			texts[i] = text(err)
		}
		attrs = append(attrs, slog.Any("secondary", texts))
	}
	for err := range tree(e) {
		if p, ok := err.(*Panic); ok && p != nil {
			add("stack", string(p.Stack))
			break
		}
	}
	return slog.GroupValue(attrs...)
}
