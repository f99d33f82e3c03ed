import type { Plugin } from "rolldown"

/** A plugin that writes `THIRD-PARTY.txt` beside what a build makes of packages. @param what that contains their code. */
export const notices: (what: string) => Plugin
