// SPDX-License-Identifier: LGPL-2.1-or-later

// What Go's own pprof library reads in profiles: a line of JSON for each
// profile that is named, with its sample types, comments and samples, chains
// root first.  The library checks the profile, too.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"mprof/formats/profile"
)

type sample struct {
	Chain  []string            `json:"chain"`
	Files  []string            `json:"files"`
	Places [][2]int64          `json:"places"` // line, address
	Values []int64             `json:"values"`
	Labels map[string][]string `json:"labels"`
	Sizes  []int64             `json:"sizes"`
}

type contents struct {
	Types    []string `json:"types"`
	Default  string   `json:"default"`
	Comments []string `json:"comments"`
	Samples  []sample `json:"samples"`
}

func read(path string) (*contents, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found, err := profile.Parse(file)
	if err == nil {
		err = found.CheckValid()
	}
	if err != nil {
		return nil, err
	}
	out := &contents{Default: found.DefaultSampleType, Comments: found.Comments}
	for _, t := range found.SampleType {
		out.Types = append(out.Types, t.Type+"/"+t.Unit)
	}
	for _, s := range found.Sample {
		one := sample{Values: s.Value, Labels: s.Label, Sizes: s.NumLabel["bytes"]}
		for i := len(s.Location) - 1; i >= 0; i-- {
			lines := s.Location[i].Line
			for j := len(lines) - 1; j >= 0; j-- {
				one.Chain = append(one.Chain, lines[j].Function.Name)
				one.Places = append(one.Places,
					[2]int64{lines[j].Line, int64(s.Location[i].Address)})
				one.Files = append(one.Files, lines[j].Function.Filename)
			}
		}
		out.Samples = append(out.Samples, one)
	}
	return out, nil
}

func main() {
	encoder := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		out, err := read(path)
		if err == nil {
			err = encoder.Encode(out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, path+":", err)
			os.Exit(1)
		}
	}
}
