package draw_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
)

var example = flow.Named("parse", flow.Catch(
	step.Func(func(_ step.Scope, text string) (int, error) { return strconv.Atoi(text) }),
	orZero,
))

func orZero(step.Scope, error) step.Next[int] { return step.Succeed(0) }

func ExampleMermaid() {
	if err := draw.Mermaid(os.Stdout, flow.Describe(example)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TD
	// n0(["string"])
	// subgraph f0 [" "]
	// n1["func #34;parse#34;<br>0<br>string → int"]
	// n2{{"handler orZero<br>0<br>error → int"}}
	// end
	// n3(["int"])
	// n0 --> n1
	// n1 -.->|on error| n2
	// n1 --> n3
}

func ExampleDOT() {
	if err := draw.DOT(os.Stdout, flow.Describe(example)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// digraph plan {
	// charset="UTF-8"
	// node [fontname="Helvetica,Arial,sans-serif" fontsize=11 shape=box]
	// edge [fontname="Helvetica,Arial,sans-serif" fontsize=9 arrowsize=0.7]
	// n0 [label="string" style=rounded]
	// subgraph cluster_0 {
	// style=rounded color=gray
	// n1 [label="func \"parse\"\n0\nstring → int"]
	// n2 [label="handler orZero\n0\nerror → int" shape=hexagon]
	// }
	// n3 [label="int" style=rounded]
	// n0 -> n1
	// n1 -> n2 [style=dotted label="on error"]
	// n1 -> n3
	// }
}

func ExampleSVG() {
	var picture strings.Builder
	err := draw.SVG(&picture, flow.Describe(example))
	fmt.Println(err, strings.HasPrefix(picture.String(), "<svg"), strings.Contains(picture.String(), ">parse</text>"))
	// Output: <nil> true true
}

func ExampleMarks() {
	plan := flow.Describe(flow.Then(flow.Named("parse", step.Map(strconv.Itoa)), flow.Named("send", step.Delay[string](1))))
	state := map[bool]draw.State{false: draw.Running, true: draw.Waiting}
	marks := draw.Marks{"1": draw.Mark{State: state[true], Note: "for 3s"}}
	if err := draw.Mermaid(os.Stdout, plan, marks); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TD
	// n0(["int"])
	// n1["map #34;parse#34;<br>0<br>int → string"]
	// n2["delay #34;send#34;<br>1<br>string → string<br>delay 1ns<br>for 3s"]
	// style n2 fill:#ffdf99,color:#000
	// n3(["string"])
	// n0 --> n1
	// n1 --> n2
	// n2 --> n3
}
