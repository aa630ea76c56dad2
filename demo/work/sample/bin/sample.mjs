#!/usr/bin/env node
import { sample } from '../src/sample.mjs';

sample();
