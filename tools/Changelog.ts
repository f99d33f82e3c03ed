/** Makes a release of what [Unreleased] lists, for `npm version` (docs/contributors/releasing.md). */
import * as fs from "node:fs"
import * as path from "node:path"

const unreleased = "## [Unreleased]"

/** What [Unreleased] holds, without its heading; `null` without such a heading. */
const pending = (changelog: string): string | null => {
  const start = changelog.indexOf(`${unreleased}\n`)
  if (start === -1) return null
  const rest = changelog.slice(start + unreleased.length)
  const end = rest.indexOf("\n## ")
  return (end === -1 ? rest : rest.slice(0, end)).trim()
}

/** Why there is nothing to release; `null` if there is. */
export const objection = (changelog: string): string | null => {
  const entries = pending(changelog)
  if (entries === null) return `CHANGELOG.md has no heading "${unreleased}"`
  return /^- /m.test(entries) ? null : `CHANGELOG.md lists nothing under "${unreleased}"`
}

/** The changelog with [Unreleased] as the release of a day (`2026-01-31`), below an empty [Unreleased]. */
export const released = (changelog: string, version: string, day: string): string =>
  changelog.replace(`${unreleased}\n`, () => `${unreleased}\n\n## [${version}] - ${day}\n`)

/** The README with the version of the release. */
export const stated = (readme: string, version: string): string =>
  readme.replace(/^Version \S+: /m, () => `Version ${version}: `)

/** The chart with the version of the release, whose image it runs. */
export const charted = (chart: string, version: string): string =>
  chart
    .replace(/^version: .*$/m, () => `version: ${version}`)
    .replace(/^appVersion: .*$/m, () => `appVersion: "${version}"`)

/** A guide whose commands name the packed file and the image of the release. */
export const guided = (guide: string, version: string): string =>
  guide.replace(/\binferlog([-:])\d+\.\d+\.\d+(?=[\s.])/g, (_, mark: string) => `inferlog${mark}${version}`)

/** A description of a client with the version of the release: of npm, in its lock too, or of Python. */
export const packed = (description: string, version: string): string =>
  description
    .replace(/^version = "[^"]*"$/m, () => `version = "${version}"`)
    .replace(/("name": "@inferlog\/\w+",\n *"version": )"[^"]*"/g, (_, name: string) => `${name}"${version}"`)
    .replace(/("@inferlog\/client": )"\d[^"]*"/g, (_, name: string) => `${name}"${version}"`)

/** The name by which the client for Python introduces itself. */
export const introduced = (source: string, version: string): string =>
  source.replace(/"inferlog-python\/[^"]*"/, () => `"inferlog-python/${version}"`)

/** The files that state the version beside `package.json`, which npm writes. `package.json` commits them. */
export const stating: Readonly<Record<string, (text: string, version: string) => string>> = {
  "README.md": stated,
  "deploy/helm/inferlog/Chart.yaml": charted,
  "docs/operators/install.md": guided,
  "package-lock.json": packed,
  "clients/typescript/package.json": packed,
  "clients/react/package.json": packed,
  "clients/python/pyproject.toml": packed,
  "clients/python/src/inferlog/_protocol/exchange.py": introduced
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, "..")
  const read = (name: string) => fs.readFileSync(path.join(root, name), "utf8")
  const write = (name: string, text: string) => fs.writeFileSync(path.join(root, name), text)
  const changelog = read("CHANGELOG.md")
  const reason = objection(changelog)
  const version = process.env["npm_package_version"] ?? ""
  if (reason !== null) {
    process.stderr.write(`${reason}\n`)
    process.exitCode = 1
  } else if (process.argv[2] === "release") {
    write("CHANGELOG.md", released(changelog, version, new Date().toISOString().slice(0, 10)))
    for (const [name, restate] of Object.entries(stating)) write(name, restate(read(name), version))
  }
}
