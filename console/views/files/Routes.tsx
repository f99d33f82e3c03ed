/** The routes of files. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"
import { parse } from "./FilesSearch.ts"

const filesRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "files",
  validateSearch: parse,
  component: lazyRouteComponent(() => import("./FilesView.tsx"), "FilesView")
})

export const filesRoutes = [filesRoute] as const
