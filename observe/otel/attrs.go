package otel

import (
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
)

// ofAttrs converts attributes of a run. The key of a group and a dot are put before the keys of its members.
func ofAttrs(attrs []slog.Attr) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		key := attribute.Key(valid(a.Key))
		switch v := a.Value; v.Kind() {
		case slog.KindBool:
			all = append(all, key.Bool(v.Bool()))
		case slog.KindInt64:
			all = append(all, key.Int64(v.Int64()))
		case slog.KindFloat64:
			all = append(all, key.Float64(v.Float64()))
		case slog.KindGroup:
			for _, inner := range v.Group() {
				inner.Key = a.Key + "." + inner.Key
				inner.Value = inner.Value.Resolve()
				all = append(all, ofAttrs([]slog.Attr{inner})...)
			}
		default:
			all = append(all, key.String(valid(v.String())))
		}
	}
	return all
}
