// Package config reads the settings of a service from JSON. Settings that the JSON doesn't have keep their defaults. Unknown
// fields are refused, and errors name the path of the field.
//
//	settings := Settings{Retry: retry.Policy{Tries: 4}} // the defaults
//	err := config.Load("service.json", &settings)
//	// service.json: retry.pause: "5 seconds" is no duration such as "1.5s"
//
// The policies of this module, such as retry.Policy and syncx.BreakerPolicy, can be fields of the struct
// of settings. Use [Duration] for times of your own. Convert YAML to JSON first, for example by YAMLToJSON of
// sigs.k8s.io/yaml.
package config
