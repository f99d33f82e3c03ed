/** The routes of files. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"
import { parse } from "./FilesSearch.ts"

const filesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "files",
  validateSearch: parse,
  component: lazyView(() => import("./FilesView.tsx"), "FilesView")
})

export const filesRoutes = [filesRoute] as const
