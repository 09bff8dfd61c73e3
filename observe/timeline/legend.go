package timeline

import "github.com/futoin-go/asyncsteps/observe"

// style sets the colours of the picture.
const style = `<style>
text { font: 12px sans-serif; fill: #222 }
.title { font-weight: bold }
.title.failed { fill: #a11 }
.path, .time { font-size: 10px; fill: #666 }
.time { text-anchor: middle }
.grid { stroke: #e4e4e4 }
.run { fill: #bbb }
.life { fill: #6fa3d8; stroke: #2f6299; stroke-width: .6 }
.life.failed { fill: #e79a9a; stroke: #a11; stroke-width: 1 }
.life.open { stroke-dasharray: 3 2 }
.waiting { fill: #e8eef5 }
.queued { fill: #f4c542 }
.raised { fill: #c00 }
.handled { fill: #187a2f }
.limit { fill: #7a2fa0 }
.guard { fill: #8a6d00 }
</style>
`

const legend = `<g transform="translate(10 12)">
<rect class="life" width="24" height="12"/><text x="30" y="10">at work, or holding steps</text>
<rect class="life" x="190" width="24" height="12"/><rect class="waiting" x="191" y="1" width="22" height="10"/><text x="220" y="10">waiting</text>
<rect class="life" x="280" width="24" height="12"/><rect class="queued" x="281" y="1" width="22" height="10"/><text x="310" y="10">queued at a guard</text>
<rect class="life failed" x="430" width="24" height="12"/><text x="460" y="10">left by an error or a cancel</text>
<path class="raised" d="M630 6l-4 -5h8z"/><text x="640" y="10">error raised</text>
<path class="handled" d="M722 6l-4 5h8z"/><text x="732" y="10">error handled</text>
<path class="limit" d="M830 6l-4 0l4 -5l4 5l-4 5l-4 -5z"/><text x="840" y="10">timed out, cancelled</text>
<path class="guard" d="M972 2h8v8h-8z"/><text x="986" y="10">guard changed</text>
</g>
`

func sign(k observe.Kind) string {
	switch k {
	case observe.Raised:
		return "raised"
	case observe.Handled:
		return "handled"
	case observe.TimedOut, observe.Cancelled:
		return "limit"
	default: // GuardChanged
		return "guard"
	}
}

// outline holds the shape of each sign, relative to its middle.
var outline = map[string]string{
	"raised":  "l-4 -7h8z",
	"handled": "l-4 7h8z",
	"limit":   "l-4 0l4 -5l4 5l-4 5l-4 -5z",
	"guard":   "m-4 -4h8v8h-8z",
}
