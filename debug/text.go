package debug

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Errors are kept as text of bounded length, because an error may refer to any data, which must not be kept alive or used later.
const (
	maxBrief  = 500
	maxDetail = 16 << 10
	maxText   = 4 << 10 // of one error among those of a detail
)

// brief returns the text of err, cut off after maxBrief bytes, or "" if err is nil. It uses fmt, which catches a panic of the
// Error method.
func brief(err error) string {
	if err == nil {
		return ""
	}
	return clip(fmt.Sprint(short(err, maxBrief)), maxBrief)
}

func detail(err error) string { return clip(fmt.Sprintf("%+v", short(err, maxText)), maxDetail) }

// clip cuts s off after limit bytes and adds an ellipsis. If s is cut, the result doesn't share memory with s.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

type span time.Duration

func (s span) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

func (s span) String() string {
	d := time.Duration(s)
	for unit := time.Microsecond; unit <= time.Second; unit *= 1000 {
		if d < unit*1000 {
			return d.Round(unit / 100).String()
		}
	}
	return d.Round(time.Second).String()
}

func itoa(n int) string { return strconv.Itoa(n) }

func lower(s string) string { return strings.ToLower(s) }

// writable returns t, or the nearest moment in UTC that JSON can write: it can't write times of all years and zones, which the
// program may have made.
func writable(t time.Time) time.Time {
	if _, err := t.MarshalText(); err == nil {
		return t
	}
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	switch t = t.UTC(); {
	case t.After(last):
		return last
	case t.Year() < 0:
		return time.Time{}
	default:
		return t
	}
}
