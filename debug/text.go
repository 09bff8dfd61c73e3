package debug

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Errors are kept as text of bounded length, because the error itself may refer to anything,
// and must not be used later.
const (
	maxBrief  = 500
	maxDetail = 16 << 10
	maxText   = 4 << 10 // of one error among those of a detail
)

// brief returns the text of an error, cut off after maxBrief bytes; "" if there is none. It goes
// through fmt, which catches a panic of the Error method.
func brief(err error) string {
	if err == nil {
		return ""
	}
	return clip(fmt.Sprint(short(err, maxBrief)), maxBrief)
}

// detail returns the text of an error over many lines, cut off after maxDetail bytes.
func detail(err error) string { return clip(fmt.Sprintf("%+v", short(err, maxText)), maxDetail) }

// clip cuts s off after limit bytes and adds an ellipsis. If s isn't longer clip returns it; otherwise the result has memory of
// its own.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// span is a duration: seconds in JSON, rounded for people.
type span time.Duration

// MarshalJSON writes seconds.
func (s span) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

// String rounds to about three digits.
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
