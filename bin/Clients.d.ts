/** The modules of a package, by their names in its `dist`. */
export const modules: (folder: string, minify?: boolean) => Promise<Readonly<Record<string, string>>>
