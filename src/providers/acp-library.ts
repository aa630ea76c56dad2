// The one door to the ACP package: what is not named here is not in the bundle. Imported lazily alone, by acp.ts.
export { client, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
