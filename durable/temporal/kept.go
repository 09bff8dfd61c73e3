package temporal

import (
	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

func keep(name string, raw converter.RawValue) keptSignal {
	data, err := proto.Marshal(raw.Payload())
	if err != nil {
		panic(err) // can't happen: the payload has just been received
	}
	return keptSignal{name, data}
}

func (k keptSignal) raw() converter.RawValue {
	p := new(common.Payload)
	if err := proto.Unmarshal(k.Payload, p); err != nil {
		panic(err) // can't happen: keep has made the payload
	}
	return converter.NewRawValue(p)
}
