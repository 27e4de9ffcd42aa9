/** The page of components, for developers of pages. */
import { type DeskTools, deskOf, read, sectionRoutes } from '../visit.ts'
import { designPage } from './design-page.ts'

export function designRoutes(tools: DeskTools): void {
  const { get } = sectionRoutes(tools, 'settings')
  get('/design', read, async (visit) => designPage(await deskOf(tools, visit)))
}
