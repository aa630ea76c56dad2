declare module 'pg/lib/client.js' {
  export { Client as default } from 'pg';
}
