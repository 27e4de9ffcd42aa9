/** The styles of the demo shop. */
import { customerStyles, fileBeside } from '../web/assets.ts'

export const shopStyles = customerStyles(fileBeside(import.meta.url, 'shop.css'))
