#!/usr/bin/env node
/** The command `inferlog`: runs the bundle of the program. */
import { pathToFileURL } from "node:url"
import * as Build from "./Build.js"

await import(pathToFileURL(Build.made()).href)
